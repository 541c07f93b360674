import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { AdjustmentId, NoteId, PartnerId, PayoutId, PayoutLineId, ProgramId } from "#domain/ids.ts";
import type { PaymentVersionId } from "#domain/payment-details.ts";
import { lineStates, payoutStatuses, settlers, skipReasons } from "#domain/payout-status.ts";
import { id, instant, largestInteger } from "./columns.ts";
import { notes } from "./notes.ts";
import { oneOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { paymentDetails } from "./payment-details.ts";
import { programId } from "./programs.ts";

// "Number" in this file means a ledger number. Ledger entries, and approvals and transfers without an entry, all take
// their numbers from one rising sequence: the ids of entries.

/** Payouts exist only in the live book. Each has one currency. */
export const payouts = sqliteTable(
  "payouts",
  {
    id: id<PayoutId>(),
    programId: programId(),
    currency: text("currency").notNull(),
    reference: text("reference").notNull(),
    status: text("status", { enum: payoutStatuses }).notNull(),
    until: instant("until").notNull(),
    /**
     * The cutoff: the last ledger number at `until`. The lines pay commissions that became payable up to this number.
     */
    cut: integer("cut").notNull(),
    minimumCents: integer("minimum_cents").notNull(),
    /** JSON array of the partner ids to pay. Null: all partners. */
    partnerIds: text("partner_ids"),
    /** Sum of the proposed lines of a draft, or of the lines that were live when the payout was finalized. */
    totalCents: integer("total_cents").notNull(),
    lineCount: integer("line_count").notNull(),
    settledBy: text("settled_by", { enum: settlers }).notNull().default("person"),
    /**
     * Sums of a payout that is settled by API: of settled lines, of lines given back without a settlement, and of lines
     * that failed after they were settled. 0 if a person pays the payout.
     */
    settledCents: integer("settled_cents").notNull().default(0),
    givenBackCents: integer("given_back_cents").notNull().default(0),
    returnedCents: integer("returned_cents").notNull().default(0),
    /** When a member paid the payout. If it is settled by API, when its last open line was settled or given back. */
    paidAt: instant("paid_at"),
    noteId: integer("note_id")
      .$type<NoteId>()
      .references(() => notes.id),
    createdAt: instant("created_at").notNull(),
    createdBy: text("created_by").notNull(),
    finalizedAt: instant("finalized_at"),
    finalizedBy: text("finalized_by"),
    finalizedNumber: integer("finalized_number"),
    /**
     * When the lines of a payout that is settled by API first became due: when the payout was finalized or, if another
     * person must confirm it, when that person did. After a restore, which may have lost this confirmation: when a line
     * was first given back.
     */
    dueAt: instant("due_at"),
    confirmedAt: instant("confirmed_at"),
    confirmedBy: text("confirmed_by"),
    canceledAt: instant("canceled_at"),
    canceledBy: text("canceled_by"),
    canceledNumber: integer("canceled_number"),
  },
  (t) => [
    uniqueIndex("payouts_reference").on(t.programId, t.reference),
    uniqueIndex("payouts_draft").on(t.programId, t.currency).where(sql`status = 'draft'`),
    check("payouts_status", oneOf(t.status, payoutStatuses)),
    check("payouts_currency", sql`length(${t.currency}) between 3 and 12`),
    check("payouts_minimum", sql`${t.minimumCents} >= 1`),
    check("payouts_total", sql`${t.totalCents} >= ${t.lineCount} and ${t.lineCount} >= 1`),
    check(
      "payouts_finalized",
      sql`case ${t.status} when 'draft' then ${t.finalizedAt} is null when 'canceled' then 1 else ${t.finalizedAt} is not null end
      and (${t.finalizedAt} is null) = (${t.finalizedBy} is null)
      and (${t.finalizedAt} is null) = (${t.finalizedNumber} is null)`,
    ),
    check("payouts_cut", sql`${t.cut} >= 0 and coalesce(${t.cut} < ${t.finalizedNumber}, 1)`),
    check(
      "payouts_confirmed",
      sql`case ${t.settledBy} when 'api' then (${t.status} = 'paid') = (${t.paidAt} is not null) and (${t.confirmedAt} is null) = (${t.confirmedBy} is null)
      else (${t.status} = 'paid') = (${t.confirmedAt} is not null and ${t.confirmedBy} is not null and ${t.paidAt} is not null) end`,
    ),
    check("payouts_due", sql`${t.dueAt} is null or (${t.settledBy} = 'api' and ${t.dueAt} >= ${t.finalizedAt})`),
    check("payouts_settled_by", oneOf(t.settledBy, settlers)),
    check(
      "payouts_settled",
      sql`${t.settledCents} >= 0 and ${t.givenBackCents} >= 0 and ${t.returnedCents} between 0 and ${t.settledCents}
      and case when ${t.settledBy} = 'person' or ${t.finalizedAt} is null then ${t.settledCents} + ${t.givenBackCents} = 0
        when ${t.status} = 'final' then ${t.settledCents} + ${t.givenBackCents} < ${t.totalCents}
        else ${t.settledCents} + ${t.givenBackCents} = ${t.totalCents} and (${t.status} = 'paid') = (${t.settledCents} > 0) end`,
    ),
    check(
      "payouts_canceled",
      sql`(${t.status} = 'canceled') = (${t.canceledAt} is not null and ${t.canceledBy} is not null and ${t.canceledNumber} is not null)`,
    ),
  ],
);

/**
 * One line for each partner of a payout, including skipped partners. Finalizing the payout moves the amount of a live
 * line to "in payout". The amount never changes after that.
 */
export const payoutLines = sqliteTable(
  "payout_lines",
  {
    id: id<PayoutLineId>(),
    programId: programId(),
    payoutId: integer("payout_id")
      .$type<PayoutId>()
      .notNull()
      .references(() => payouts.id),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .notNull()
      .references(() => partners.id),
    currency: text("currency").notNull(),
    state: text("state", { enum: lineStates }).notNull(),
    /** Why the line was skipped. */
    reason: text("reason", { enum: skipReasons }),
    name: text("name").notNull(),
    /** The partner's address, copied when the payout is finalized. */
    email: text("email"),
    /** The partner's external id, copied when the payout is finalized. A payout that is settled by API pays this id. */
    externalId: text("external_id"),
    /**
     * The partner's payment details when the payout was finalized. Null if the partner had none and is paid by email
     * address.
     */
    paymentId: integer("payment_id")
      .$type<PaymentVersionId>()
      .references(() => paymentDetails.id),
    detailsChangedAt: instant("details_changed_at"),
    /**
     * The draft's amount of this line, before `finalize` computed it again. 0 if the draft had no such line. Null if
     * the payout was never finalized.
     */
    beforeCents: integer("before_cents"),
    amountCents: integer("amount_cents").notNull(),
    /** Number of commissions in the line, and their sum. */
    commissions: integer("commissions").notNull(),
    commissionsCents: integer("commissions_cents").notNull(),
    adjustmentsCents: integer("adjustments_cents").notNull(),
    failedAt: instant("failed_at"),
    failedBy: text("failed_by"),
    failureId: integer("failure_id")
      .$type<NoteId>()
      .references(() => notes.id),
    partnerNoteId: integer("partner_note_id")
      .$type<NoteId>()
      .references(() => notes.id),
    /**
     * The time and id of the settlement, if the payout is settled by API. The ledger entry of the payment has the same
     * time.
     */
    settledAt: instant("settled_at"),
    settlementId: text("settlement_id"),
    /**
     * A settlement that was reported after the line had failed. An adjustment deducted the line's amount from the
     * partner's balance.
     */
    lateSettledAt: instant("late_settled_at"),
    lateSettlementId: text("late_settlement_id"),
    /** The ledger number at which the line was given back without being settled. */
    givenBackNumber: integer("given_back_number"),
    /** A digest of the values that finalizing froze, for the audit. Null if an earlier version finalized the payout. */
    evidence: text("evidence"),
    /** Deleted together with the address. Without this salt, the digest in `evidence` can't be computed again. */
    evidenceSalt: text("evidence_salt"),
    /**
     * Number of the partner's statement for this payment. A partner's first statement is 1. Set when the line is paid:
     * by a trigger if a person pays the payout, otherwise with the settlement.
     */
    statementNumber: integer("statement_number"),
    /** When the statement was mailed to the partner. */
    statementMailedAt: instant("statement_mailed_at"),
  },
  (t) => [
    uniqueIndex("payout_lines_partner").on(t.payoutId, t.partnerId),
    uniqueIndex("payout_lines_statement").on(t.partnerId, t.statementNumber).where(sql`statement_number is not null`),
    index("payout_lines_of_partner").on(t.partnerId),
    index("payout_lines_state").on(t.payoutId, t.state, sql`(settled_at is not null)`),
    check("payout_lines_state", oneOf(t.state, lineStates)),
    check("payout_lines_reason", sql`(${t.state} = 'skipped') = (${t.reason} is not null)`),
    check("payout_lines_skipped", oneOf(t.reason, skipReasons)),
    check("payout_lines_amount", sql`${t.state} = 'skipped' or ${t.amountCents} >= 1`),
    check("payout_lines_commissions", sql`${t.commissions} >= 0 and ${t.commissionsCents} >= 0`),
    check(
      "payout_lines_failed",
      sql`(${t.state} = 'failed') = (${t.failedAt} is not null and ${t.failedBy} is not null and ${t.failureId} is not null)`,
    ),
    check("payout_lines_partner_note", sql`${t.partnerNoteId} is null or ${t.state} = 'failed'`),
    check(
      "payout_lines_settled",
      sql`(${t.settledAt} is null) = (${t.settlementId} is null) and (${t.lateSettledAt} is null) = (${t.lateSettlementId} is null)
      and (${t.settledAt} is null or ${t.state} in ('live', 'failed'))`,
    ),
    check(
      "payout_lines_given_back",
      sql`(${t.givenBackNumber} is null or (${t.state} = 'failed' and ${t.settledAt} is null))
      and (${t.lateSettledAt} is null or ${t.state} = 'failed')`,
    ),
  ],
);

/**
 * Ranges of ledger numbers that a live line of this partner and currency pays. If the `payable_number` of a commission
 * is in a range, the commission is reserved or paid. `finalize` inserts ranges. They are deleted only if the line fails
 * or is given back, or if the payout is canceled.
 */
export const payoutRanges = sqliteTable(
  "payout_ranges",
  {
    programId: integer("program_id").$type<ProgramId>().notNull(),
    currency: text("currency").notNull(),
    partnerId: integer("partner_id").$type<PartnerId>().notNull(),
    toNumber: integer("to_number").notNull(),
    /** Exclusive: the range begins after this number. */
    fromNumber: integer("from_number").notNull(),
    payoutId: integer("payout_id")
      .$type<PayoutId>()
      .notNull()
      .references(() => payouts.id),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.currency, t.partnerId, t.toNumber] }),
    index("payout_ranges_payout").on(t.payoutId, t.partnerId),
    check("payout_ranges_order", sql`${t.fromNumber} < ${t.toNumber} and ${t.fromNumber} >= 0`),
  ],
);

/** Greater than every ledger number. JavaScript represents integers up to this one exactly. */
export const lastNumber = Number.MAX_SAFE_INTEGER;

/**
 * Ranges of ledger numbers that no live line pays, for each partner and currency. Triggers of `payout_ranges` maintain
 * them. The last gap has no end. Earlier gaps are where a line failed or was canceled. A partner without a row never
 * had a range, so all numbers are free.
 */
export const payoutGaps = sqliteTable(
  "payout_gaps",
  {
    programId: integer("program_id").$type<ProgramId>().notNull(),
    currency: text("currency").notNull(),
    partnerId: integer("partner_id").$type<PartnerId>().notNull(),
    /** `lastNumber` for the gap without an end. */
    toNumber: integer("to_number").notNull(),
    /** Exclusive: the gap begins after this number. */
    fromNumber: integer("from_number").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.currency, t.partnerId, t.toNumber] }),
    check("payout_gaps_order", sql`${t.fromNumber} < ${t.toNumber} and ${t.fromNumber} >= 0`),
  ],
);

/**
 * The live lines of final and paid payouts, in the order of finalization. Triggers of payouts and lines maintain them.
 */
export const liveLines = sqliteTable(
  "live_lines",
  {
    programId: integer("program_id").$type<ProgramId>().notNull(),
    currency: text("currency").notNull(),
    partnerId: integer("partner_id").$type<PartnerId>().notNull(),
    finalizedNumber: integer("finalized_number").notNull(),
    payoutId: integer("payout_id").$type<PayoutId>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.programId, t.currency, t.partnerId, t.finalizedNumber] })],
);

/**
 * A manual credit or deduction, the award of a bonus, or a deduction of the whole amount of a line that was settled
 * after it had failed. Append-only.
 */
export const adjustments = sqliteTable(
  "adjustments",
  {
    id: id<AdjustmentId>(),
    programId: programId(),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .notNull()
      .references(() => partners.id),
    amountCents: integer("amount_cents").notNull(),
    currency: text("currency").notNull(),
    reasonId: integer("reason_id")
      .$type<NoteId>()
      .notNull()
      .references(() => notes.id),
    partnerNoteId: integer("partner_note_id")
      .$type<NoteId>()
      .references(() => notes.id),
    reference: text("reference").notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("adjustments_reference").on(t.programId, t.partnerId, t.reference),
    check(
      "adjustments_amount",
      sql`${t.amountCents} <> 0 and abs(${t.amountCents}) <= iif(substr(${t.reference}, 1, 8) = 'settled:', ${largestInteger}, 100000000000)`,
    ),
  ],
);
