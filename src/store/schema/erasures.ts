import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { erasedSubjects } from "#domain/erased-subject.ts";
import { instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { programId } from "./programs.ts";

/**
 * Receipts: what was erased and when, and the sums before and after. Once the erasure is done, they contain no data
 * about the person.
 */
export const erasures = sqliteTable(
  "erasures",
  {
    id: text("id").primaryKey(),
    programId: programId(),
    subject: text("subject", { enum: erasedSubjects }).notNull(),
    requestedBy: text("requested_by").notNull(),
    requestedAt: instant("requested_at").notNull(),
    /**
     * Null while the erasure is running. Meanwhile the triggers of append-only tables allow deletion of personal texts.
     */
    erasedAt: instant("erased_at"),
    /** JSON: the identifiers to erase. Null once the erasure is done. */
    asked: text("asked"),
    /**
     * JSON array of customer ids. Digests of the person's identifiers refer to this erasure, so data that is reported
     * later can be attributed to these customers.
     */
    customerIds: text("customer_ids").notNull().default("[]"),
    /** JSON: the number of changed rows of each table. */
    rows: text("rows").notNull(),
    /** JSON: the sums of the person's sales and of the program's balances, before and after the erasure. */
    before: text("before").notNull(),
    after: text("after"),
    /**
     * Number of rows that this erasure added to `erased_identifiers`. Null for an erasure begun before this column
     * existed.
     */
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
