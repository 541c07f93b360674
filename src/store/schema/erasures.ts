import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { erasedSubjects } from "#domain/erased-subject.ts";
import { instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { programId } from "./programs.ts";

/** Receipts: what was erased and when, and that no sum has changed. They contain no data about the person. */
export const erasures = sqliteTable(
  "erasures",
  {
    id: text("id").primaryKey(),
    programId: programId(),
    subject: text("subject", { enum: erasedSubjects }).notNull(),
    requestedBy: text("requested_by").notNull(),
    requestedAt: instant("requested_at").notNull(),
    /** Null while it is running: until then the append-only tables allow deleting their texts. */
    erasedAt: instant("erased_at"),
    /** JSON: the subjects. Null once it is done. */
    asked: text("asked"),
    /** A JSON array: their digests find the erasure for data reported later. */
    customerIds: text("customer_ids").notNull().default("[]"),
    /** JSON: the number of rows of each table. */
    rows: text("rows").notNull(),
    /** JSON: the sums of the subject's sales and of the program's balances. */
    before: text("before").notNull(),
    after: text("after"),
    /** Rows of `erased_identifiers` that it added to the program's. Null: begun by an earlier version. */
    identifiers: integer("identifiers"),
  },
  (t) => [
    index("erasures_program").on(t.programId, t.requestedAt),
    index("erasures_open").on(t.requestedAt).where(sql`erased_at is null`),
    check("erasures_subject", oneOf(t.subject, erasedSubjects)),
    check("erasures_asked", sql`(${t.asked} is null) = (${t.erasedAt} is not null)`),
    check("erasures_sums", sql`${t.erasedAt} is null or ${t.after} is not null`),
  ],
);
