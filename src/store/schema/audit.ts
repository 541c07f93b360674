import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, instant } from "./columns.ts";
import { programId } from "./programs.ts";

/** Who changed what of a program, from what to what: appended, never changed. */
export const auditEntries = sqliteTable(
  "audit_entries",
  {
    id: id(),
    programId: programId(),
    /** The operation that made the change: the same one again finds that it was made. */
    operationId: text("operation_id").notNull(),
    actorId: text("actor_id").notNull(),
    action: text("action").notNull(),
    /** What was changed: `partner 12`. */
    subject: text("subject").notNull(),
    /** JSON; null: it was not there before, or is not there any more. */
    before: text("before"),
    after: text("after"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [uniqueIndex("audit_entries_operation").on(t.operationId), index("audit_entries_program").on(t.programId)],
);
