import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { claimStatuses } from "#domain/claim.ts";
import type { ClaimId, NoteId, PartnerId, SaleId } from "#domain/ids.ts";
import { flag, id, instant } from "./columns.ts";
import { notes } from "./notes.ts";
import { oneOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { programId } from "./programs.ts";
import { sales } from "./sales.ts";

const noteId = (name: string) =>
  integer(name)
    .$type<NoteId>()
    .references(() => notes.id);

/** Sales that partners reported as missing. A member decides each claim, and only once. */
export const claims = sqliteTable(
  "claims",
  {
    id: id<ClaimId>(),
    programId: programId(),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .notNull()
      .references(() => partners.id),
    /** The day of the purchase, as the partner reported it. */
    day: text("day").notNull(),
    amountCents: integer("amount_cents"),
    currency: text("currency"),
    // The partner's texts.
    referenceId: noteId("reference_id"),
    noteId: noteId("note_id"),
    /** Digest of the open claim as sent, to recognize a claim that is sent again, even if its texts were erased. */
    digest: text("digest"),
    status: text("status", { enum: claimStatuses }).notNull(),
    /**
     * The sale that a member found. The decision attributed the sale's customer to the partner, unless the sale was
     * already credited to the partner.
     */
    saleId: integer("sale_id")
      .$type<SaleId>()
      .references(() => sales.id),
    /** True if the customer is attributed to the partner from the sale on, false if only from the decision on. */
    paysPast: flag("pays_past").default(false),
    partnerNoteId: noteId("partner_note_id"),
    decidedAt: instant("decided_at"),
    /** False if the claim has no texts, or retention has emptied them. */
    hasTexts: flag("has_texts"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    // SQLite appends the row id to an index, so these also return a page newest first.
    index("claims_program").on(t.programId, t.status),
    index("claims_partner").on(t.partnerId, t.status),
    index("claims_texts").on(t.programId, t.decidedAt).where(sql`has_texts = 1 and decided_at is not null`),
    index("claims_sale").on(t.saleId).where(sql`sale_id is not null`),
    check("claims_status", oneOf(t.status, claimStatuses)),
    check("claims_amount", sql`${t.amountCents} is null or ${t.amountCents} between 1 and 100000000000`),
    check("claims_currency", sql`(${t.amountCents} is null) = (${t.currency} is null)`),
    check("claims_decided", sql`(${t.status} = 'open') = (${t.decidedAt} is null)`),
    check("claims_theirs", sql`(${t.status} = 'theirs') = (${t.saleId} is not null)`),
    check("claims_pays_past", sql`${t.status} = 'theirs' or not ${t.paysPast}`),
    check("claims_digest", sql`${t.status} = 'open' or ${t.digest} is null`),
    check("claims_partner_note", sql`${t.status} <> 'open' or ${t.partnerNoteId} is null`),
  ],
);

/** The number of a program's open claims. Triggers maintain it. */
export const claimCounts = sqliteTable("claim_counts", {
  programId: programId().primaryKey(),
  open: integer("open").notNull(),
});
