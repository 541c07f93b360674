import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { AuditEntryId } from "#domain/ids.ts";
import { id, instant } from "./columns.ts";
import { programId } from "./programs.ts";

/** Append-only, except that an erasure removes personal data from `before`, `after` and `via`. */
export const auditEntries = sqliteTable(
  "audit_entries",
  {
    id: id<AuditEntryId>(),
    programId: programId(),
    /** Unique, so that a retried operation finds the entry that it wrote before. */
    operationId: text("operation_id").notNull(),
    actorId: text("actor_id").notNull(),
    action: text("action").notNull(),
    subject: text("subject").notNull(),
    /** JSON. For example, `before` is null for a creation, and `after` for a deletion. */
    before: text("before"),
    after: text("after"),
    /** JSON (`Via`). Null unless a member made the change from a key's proposal. */
    via: text("via"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("audit_entries_operation").on(t.operationId),
    index("audit_entries_program").on(t.programId),
    index("audit_entries_subject").on(t.programId, t.subject),
  ],
);
