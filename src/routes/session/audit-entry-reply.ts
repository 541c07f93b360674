import { timestamp } from "../../http/schema/timestamp.ts";
import * as z from "../../http/schema/zod.ts";
import type { AuditEntryView } from "../../store/views/audit.ts";
import { StoredJson, storedJson } from "./stored-json.ts";

export const AuditEntry = z
  .object({
    id: z.int(),
    at: z.iso.datetime(),
    actor: z.string().describe("Id of the user who made the change."),
    actorName: z.string().nullable(),
    action: z.string().openapi({ example: "partner.updated" }),
    subject: z.string().openapi({ example: "partner 12" }),
    before: StoredJson.nullable(),
    after: StoredJson.nullable(),
  })
  .openapi("AuditEntry");

type StoredEntry = Omit<AuditEntryView, "subjectName" | "partnerName" | "currency" | "notes"> &
  Partial<Pick<AuditEntryView, "notes">>;

export function entryReply(entry: StoredEntry): z.output<typeof AuditEntry> {
  const texts = new Map(Object.entries(JSON.parse(entry.notes ?? "{}") as Record<string, string | null>));
  return {
    id: entry.id,
    at: timestamp(entry.createdAt),
    actor: entry.actorId,
    actorName: entry.actorName,
    action: entry.action,
    subject: entry.subject,
    before: entry.before === null ? null : withTexts(storedJson(entry.before), texts),
    after: entry.after === null ? null : withTexts(storedJson(entry.after), texts),
  };
}

type Stored = z.output<typeof StoredJson>;

/** Puts the text of each note where the entry names it. Null: it was erased. */
const withTexts = (stored: Stored, texts: ReadonlyMap<string, string | null>): Stored =>
  Object.fromEntries(
    Object.entries(stored).map(([field, value]) => [
      field,
      isNote(value) ? (texts.get(String(value.note)) ?? null) : value,
    ]),
  );

const isNote = (value: unknown): value is { readonly note: number } =>
  typeof value === "object" && value !== null && "note" in value;
