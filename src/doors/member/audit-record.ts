import { id } from "#http/schema/integers.ts";
import { from, instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { StoredJson, storedJson } from "./stored-json.ts";

export const auditRecord = record("AuditEntry", {
  id: id(),
  at: from("createdAt", instant()),
  actor: from("actorId", z.string().describe("Id of the user who made the change.")),
  actorName: z.string().nullable(),
  action: z.string().openapi({ example: "partner.updated" }),
  subject: z.string().openapi({ example: "partner 12" }),
  before: StoredJson.nullable(),
  after: StoredJson.nullable(),
});

interface Stored {
  readonly before: string | null;
  readonly after: string | null;
  /** The texts of the notes that the two name, by id. JSON. */
  readonly notes?: string;
}

/** With the text of each note where the entry names it. Null: it was erased. */
export function withTexts<Entry extends Stored>(entry: Entry) {
  const texts = new Map(Object.entries(JSON.parse(entry.notes ?? "{}") as Record<string, string | null>));
  const read = (stored: string | null) =>
    stored === null
      ? null
      : Object.fromEntries(
          Object.entries(storedJson(stored)).map(([field, value]) => [
            field,
            isNote(value) ? (texts.get(String(value.note)) ?? null) : value,
          ]),
        );
  return { ...entry, before: read(entry.before), after: read(entry.after) };
}

const isNote = (value: unknown): value is { readonly note: number } =>
  typeof value === "object" && value !== null && "note" in value;
