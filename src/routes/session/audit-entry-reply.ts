import { instant } from "../../http/schema/timestamp.ts";
import * as z from "../../http/schema/zod.ts";
import type { ShownEntry } from "../../store/audit.ts";
import { Frozen, frozen } from "./stored-json.ts";

export const AuditEntry = z
  .object({
    id: z.int(),
    at: z.iso.datetime(),
    actor: z.string().describe("Id of the user who made the change."),
    actorName: z.string().nullable(),
    action: z.string().openapi({ example: "partner.updated" }),
    subject: z.string().openapi({ example: "partner 12" }),
    before: Frozen.nullable(),
    after: Frozen.nullable(),
  })
  .openapi("AuditEntry");

export const entryReply = (entry: ShownEntry): z.output<typeof AuditEntry> => ({
  id: entry.id,
  at: instant(entry.createdAt),
  actor: entry.actorId,
  actorName: entry.actorName,
  action: entry.action,
  subject: entry.subject,
  before: entry.before === null ? null : frozen(entry.before),
  after: entry.after === null ? null : frozen(entry.after),
});
