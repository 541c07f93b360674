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

export const entryReply = (entry: AuditEntryView): z.output<typeof AuditEntry> => ({
  id: entry.id,
  at: timestamp(entry.createdAt),
  actor: entry.actorId,
  actorName: entry.actorName,
  action: entry.action,
  subject: entry.subject,
  before: entry.before === null ? null : storedJson(entry.before),
  after: entry.after === null ? null : storedJson(entry.after),
});
