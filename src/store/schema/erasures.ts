import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { erasedSubjects } from "#domain/erased-subject.ts";
import type { CustomerId } from "#domain/ids.ts";
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
    /** JSON: how many rows of each table. */
    rows: text("rows").notNull(),
    /** JSON: the sums of the subject's sales and of the program's balances. */
    before: text("before").notNull(),
    after: text("after"),
  },
  (t) => [index("erasures_program").on(t.programId), check("erasures_subject", oneOf(t.subject, erasedSubjects))],
);

/** Keyed digests of what was erased, by which a later call is recognized. */
export const erasedIdentifiers = sqliteTable(
  "erased_identifiers",
  {
    programId: programId(),
    digest: text("digest").notNull(),
    erasureId: text("erasure_id")
      .notNull()
      .references(() => erasures.id),
    /** Of a customer key. */
    customerId: integer("customer_id").$type<CustomerId>(),
  },
  (t) => [primaryKey({ columns: [t.programId, t.digest] })],
);
