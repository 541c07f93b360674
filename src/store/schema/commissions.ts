import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { attributionSources } from "#domain/attribution.ts";
import { approvers, commissionStatuses, entryKinds } from "#domain/commission-status.ts";
import type {
  AdjustmentId,
  CommissionId,
  LedgerEntryId,
  PartnerId,
  PayoutLineId,
  PolicyId,
  SaleId,
} from "#domain/ids.ts";
import { flag, id, instant } from "./columns.ts";
import { oneOf, sourceOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { adjustments, payoutLines } from "./payouts.ts";
import { commissionPolicies } from "./policies.ts";
import { book } from "./programs.ts";
import { refunds } from "./refunds.ts";
import { sales } from "./sales.ts";

/** Each sale has one commission. A trigger keeps its amount equal to the sum of its ledger entries. */
export const commissions = sqliteTable(
  "commissions",
  {
    id: id<CommissionId>(),
    ...book(),
    saleId: integer("sale_id")
      .$type<SaleId>()
      .notNull()
      .references(() => sales.id),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .references(() => partners.id),
    source: text("source", { enum: attributionSources }),
    /** Sub-id of the click to which the sale was attributed. */
    sub: text("sub"),
    status: text("status", { enum: commissionStatuses }).notNull(),
    reason: text("reason"),
    isUnconfirmed: flag("is_unconfirmed"),
    /** When the hold began (ms). A held commission stays pending, even if it is due for approval. */
    heldAt: instant("held_at"),
    /** When the hold ends automatically (ms). Null if a member must end it. */
    reviewUntil: instant("review_until"),
    approvedAt: instant("approved_at"),
    approvedBy: text("approved_by", { enum: approvers }),
    initialCents: integer("initial_cents").notNull(),
    amountCents: integer("amount_cents").notNull(),
    currency: text("currency").notNull(),
    holdUntil: instant("hold_until"),
    policyId: integer("policy_id")
      .$type<PolicyId>()
      .references(() => commissionPolicies.id),
    /** JSON: how the commission was decided, with the values at that time. */
    explanation: text("explanation").notNull(),
    createdAt: instant("created_at").notNull(),
    /**
     * The ledger number of the approval, from which on the amount is payable. If a canceled refund restores the
     * commission, it gets a new number, unless a live payout line includes the old one.
     */
    payableNumber: integer("payable_number"),
    /** The ledger number of the refund that reversed the whole commission. */
    reversedNumber: integer("reversed_number"),
    /** Sequence number of the commission's latest event in the feed. Triggers set it. */
    eventSeq: integer("event_seq"),
  },
  (t) => [
    uniqueIndex("commissions_sale").on(t.saleId),
    // SQLite appends the row id to the index, so the index also returns a page newest first.
    index("commissions_status").on(t.programId, t.isTest, t.status),
    // Serves a partner's own list, newest first, and the partner's commissions on hold.
    index("commissions_partner").on(t.partnerId, t.isTest, t.status).where(sql`partner_id is not null`),
    index("commissions_unconfirmed").on(t.programId, t.isTest, t.status).where(sql`is_unconfirmed = 1`),
    // Covers the queries that add up the amounts of a payout.
    index("commissions_payable")
      .on(t.programId, t.currency, t.partnerId, t.payableNumber, t.status, t.amountCents)
      .where(sql`is_test = 0 and payable_number is not null`),
    // Finds, within a range of ledger numbers, the first commission approved after an instant.
    index("commissions_numbers")
      .on(t.programId, t.currency, t.payableNumber, t.approvedAt)
      .where(sql`is_test = 0 and payable_number is not null`),
    index("commissions_due")
      .on(t.holdUntil)
      .where(sql`status = 'pending' and is_unconfirmed = 0 and held_at is null and source <> 'coupon'`),
    index("commissions_of_coupons_due")
      .on(t.holdUntil)
      .where(sql`status = 'pending' and is_unconfirmed = 0 and held_at is null and source = 'coupon'`),
    index("commissions_held").on(t.programId, t.isTest, t.status).where(sql`held_at is not null`),
    index("commissions_review").on(t.reviewUntil).where(sql`review_until is not null`),
    check("commissions_status", oneOf(t.status, commissionStatuses)),
    check("commissions_source", sourceOf(t.partnerId, t.source)),
    check("commissions_sub", sql`${t.sub} is null or ${t.source} is 'click'`),
    check("commissions_void", sql`(${t.status} = 'void') = (${t.reason} is not null)`),
    check("commissions_due", sql`${t.status} = 'void' or (${t.partnerId} is not null and ${t.holdUntil} is not null)`),
    check("commissions_approval", sql`(${t.approvedAt} is null) = (${t.approvedBy} is null)`),
    // A fully refunded commission may be held too: if the refund is canceled, it is pending and held again.
    check("commissions_held", sql`${t.heldAt} is null or ${t.status} in ('pending', 'reversed')`),
    check("commissions_review", sql`${t.reviewUntil} is null or ${t.heldAt} is not null`),
    check("commissions_initial", sql`${t.initialCents} >= 0`),
    check("commissions_amount", sql`${t.amountCents} >= 0`),
    check("commissions_number", sql`(${t.payableNumber} is null) = (${t.approvedAt} is null)`),
    check(
      "commissions_account",
      sql`case ${t.status} when 'approved' then ${t.payableNumber} is not null when 'pending' then ${t.payableNumber} is null else 1 end`,
    ),
    check("commissions_reversed", sql`(${t.status} = 'reversed') = (${t.reversedNumber} is not null)`),
  ],
);

/**
 * Append-only: the database rejects updates and deletes. `day` is the day of the event, for charts. `createdAt` is when
 * the Ledger wrote the entry, and rises with the id.
 */
export const ledgerEntries = sqliteTable(
  "ledger_entries",
  {
    id: id<LedgerEntryId>(),
    ...book(),
    /** Null for entries of adjustments and payouts. */
    commissionId: integer("commission_id")
      .$type<CommissionId>()
      .references(() => commissions.id),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .notNull()
      .references(() => partners.id),
    kind: text("kind", {
      enum: entryKinds,
    }).notNull(),
    amountCents: integer("amount_cents").notNull(),
    currency: text("currency").notNull(),
    refundId: integer("refund_id").references(() => refunds.id),
    occurredAt: instant("occurred_at").notNull(),
    createdAt: instant("created_at").notNull(),
    day: text("day").notNull(),
    adjustmentId: integer("adjustment_id")
      .$type<AdjustmentId>()
      .references(() => adjustments.id),
    payoutLineId: integer("payout_line_id")
      .$type<PayoutLineId>()
      .references(() => payoutLines.id),
  },
  (t) => [
    // Allows one `earned` entry for each commission, and any number of other entries.
    uniqueIndex("ledger_entries_commission")
      .on(t.commissionId, sql`id * (kind <> 'earned')`)
      .where(sql`commission_id is not null`),
    uniqueIndex("ledger_entries_rejected").on(t.commissionId).where(sql`kind = 'rejected'`),
    // Allows two entries for each move: one that credits a partner and one that debits a partner.
    uniqueIndex("ledger_entries_moved")
      .on(t.commissionId, t.partnerId, sql`amount_cents < 0`)
      .where(sql`kind = 'moved'`),
    uniqueIndex("ledger_entries_refunded").on(t.refundId).where(sql`refund_id is not null`),
    uniqueIndex("ledger_entries_adjusted").on(t.adjustmentId).where(sql`adjustment_id is not null`),
    uniqueIndex("ledger_entries_paid").on(t.payoutLineId, t.kind).where(sql`payout_line_id is not null`),
    index("ledger_entries_adjustments").on(t.programId, t.currency, t.partnerId).where(sql`adjustment_id is not null`),
    // Serves the search for a payout's cutoff among the program's entries.
    index("ledger_entries_program").on(t.programId),
    // Serves statements, which read a partner's entries in the order of posting.
    index("ledger_entries_partner").on(t.programId, t.partnerId, t.currency).where(sql`is_test = 0`),
    check(
      "ledger_entries_sign",
      sql`case when ${t.kind} in ('earned', 'restored', 'returned') then ${t.amountCents} >= 0 when ${t.kind} in ('reversed', 'rejected', 'paid') then ${t.amountCents} <= 0 else ${t.kind} in ('moved', 'adjusted') end`,
    ),
    check("ledger_entries_refund", sql`(${t.kind} in ('reversed', 'restored')) = (${t.refundId} is not null)`),
    check(
      "ledger_entries_of_commission",
      sql`(${t.kind} in ('adjusted', 'paid', 'returned')) = (${t.commissionId} is null)`,
    ),
    check("ledger_entries_of_adjustment", sql`(${t.kind} = 'adjusted') = (${t.adjustmentId} is not null)`),
    check("ledger_entries_of_line", sql`(${t.kind} in ('paid', 'returned')) = (${t.payoutLineId} is not null)`),
  ],
);
