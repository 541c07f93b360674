import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { erasedSubjects } from "#domain/erased-subject.ts";
import { instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { programId } from "./programs.ts";

/** Receipts: what was erased and when, and that no sum has changed. Nothing of the person. */
export const erasures = sqliteTable(
  "erasures",
  {
    id: text("id").primaryKey(),
    programId: programId(),
    subject: text("subject", { enum: erasedSubjects }).notNull(),
    requestedBy: text("requested_by").notNull(),
    requestedAt: instant("requested_at").notNull(),
    /** Null while it goes on: until then the append-only tables let their texts go. */
    erasedAt: instant("erased_at"),
    /** JSON: whom to erase. Null once it is done. */
    asked: text("asked"),
    /** A JSON array: by its digests, an erasure finds what was told of them since. */
    customerIds: text("customer_ids").notNull().default("[]"),
    /** JSON: how many rows of each table. */
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
