import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { lineStates, payoutPhases, payoutStatuses, skipReasons } from "../../domain/payout-status.ts";
import { flag, id, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { programId } from "./programs.ts";

/** Of the live book alone, in one currency. */
export const payouts = sqliteTable(
  "payouts",
  {
    id: id(),
    programId: programId(),
    currency: text("currency").notNull(),
    reference: text("reference").notNull(),
    status: text("status", { enum: payoutStatuses }).notNull(),
    /** Null: no work is left. */
    phase: text("phase", { enum: payoutPhases }),
    /** The last partner whose line was computed in this phase. */
    cursorPartnerId: integer("cursor_partner_id").notNull().default(0),
    until: instant("until").notNull(),
    minimumCents: integer("minimum_cents").notNull(),
    /** JSON array of the partners named. Null: all. */
    partnerIds: text("partner_ids"),
    /** Partners whose email address was changed lately, but not after this instant, are paid too. 0: none of them. */
    includesChangedUntil: integer("includes_changed_until").notNull().default(0),
    expectedTotalCents: integer("expected_total_cents"),
    /** Of the lines that are proposed or taken, and not dropped. */
    totalCents: integer("total_cents").notNull().default(0),
    lineCount: integer("line_count").notNull().default(0),
    paidAt: instant("paid_at"),
    note: text("note"),
    createdAt: instant("created_at").notNull(),
    createdBy: text("created_by").notNull(),
    /** From the request on, so that a payout that returns to `draft` has none. */
    finalizedAt: instant("finalized_at"),
    finalizedBy: text("finalized_by"),
    confirmedAt: instant("confirmed_at"),
    /** Of a payout that is `finalizing`: confirms it as soon as it is final. */
    confirmedBy: text("confirmed_by"),
    canceledAt: instant("canceled_at"),
    canceledBy: text("canceled_by"),
  },
  (t) => [
    uniqueIndex("payouts_reference").on(t.programId, t.reference),
    uniqueIndex("payouts_draft").on(t.programId, t.currency).where(sql`status in ('draft', 'finalizing')`),
    index("payouts_unfinished").on(t.id).where(sql`phase is not null`),
    check("payouts_status", oneOf(t.status, payoutStatuses)),
    check(
      "payouts_phase",
      sql`case ${t.status} when 'draft' then ${t.phase} is null or ${t.phase} = 'composing' when 'finalizing' then coalesce(${t.phase}, '') in ('composing', 'reserving', 'returning') when 'final' then ${t.phase} is null when 'confirming' then coalesce(${t.phase}, '') = 'paying' else ${t.phase} is null or ${t.phase} = 'freeing' end`,
    ),
    check("payouts_currency", sql`length(${t.currency}) = 3`),
    check("payouts_minimum", sql`${t.minimumCents} >= 1`),
    check("payouts_finalized", sql`(${t.finalizedAt} is null) = (${t.finalizedBy} is null)`),
    check("payouts_confirmed", sql`(${t.confirmedAt} is not null) = (${t.status} in ('confirming', 'paid'))`),
    check("payouts_canceled", sql`(${t.canceledAt} is not null) = (${t.status} = 'canceled')`),
  ],
);

/**
 * One for each partner of a payout, also for those left out. Triggers keep what a line holds equal to the sum of its
 * entries. `amountCents` is that sum once the line is live, and stays when the entries are freed.
 */
export const payoutLines = sqliteTable(
  "payout_lines",
  {
    id: id(),
    programId: programId(),
    payoutId: integer("payout_id")
      .notNull()
      .references(() => payouts.id),
    partnerId: integer("partner_id")
      .notNull()
      .references(() => partners.id),
    currency: text("currency").notNull(),
    state: text("state", { enum: lineStates }).notNull(),
    /** Of a line that is skipped or dropped. */
    reason: text("reason", { enum: skipReasons }),
    name: text("name").notNull(),
    /** Copied when the payout is finalized. */
    email: text("email"),
    emailChangedAt: instant("email_changed_at"),
    /** As proposed before `finalize` computed the line again. Null: never finalized. */
    beforeCents: integer("before_cents"),
    amountCents: integer("amount_cents").notNull(),
    commissions: integer("commissions").notNull(),
    heldCents: integer("held_cents").notNull().default(0),
    heldEntries: integer("held_entries").notNull().default(0),
    /** Its `paid` entry is written. */
    isPosted: flag("is_posted").default(false),
    failedAt: instant("failed_at"),
    failedBy: text("failed_by"),
    failure: text("failure"),
  },
  (t) => [
    uniqueIndex("payout_lines_partner").on(t.payoutId, t.partnerId),
    index("payout_lines_of_partner").on(t.partnerId),
    index("payout_lines_state").on(t.payoutId, t.state),
    index("payout_lines_held").on(t.payoutId, t.state).where(sql`held_entries > 0`),
    index("payout_lines_unposted").on(t.payoutId).where(sql`state = 'live' and is_posted = 0`),
    check("payout_lines_state", oneOf(t.state, lineStates)),
    check("payout_lines_reason", sql`(${t.state} in ('skipped', 'dropped')) = (${t.reason} is not null)`),
    check("payout_lines_skipped", oneOf(t.reason, skipReasons)),
    check("payout_lines_amount", sql`${t.state} not in ('proposed', 'live', 'failed') or ${t.amountCents} >= 1`),
    check("payout_lines_held", sql`${t.heldEntries} >= 0 and (${t.heldEntries} > 0 or ${t.heldCents} = 0)`),
    check("payout_lines_posted", sql`${t.isPosted} = 0 or ${t.state} in ('live', 'failed')`),
    check(
      "payout_lines_failed",
      sql`(${t.state} = 'failed') = (${t.failedAt} is not null and ${t.failedBy} is not null and ${t.failure} is not null)`,
    ),
  ],
);

/** A bonus or a write-off by a person. Append-only, but for the line that holds its entry. */
export const adjustments = sqliteTable(
  "adjustments",
  {
    id: id(),
    programId: programId(),
    partnerId: integer("partner_id")
      .notNull()
      .references(() => partners.id),
    amountCents: integer("amount_cents").notNull(),
    currency: text("currency").notNull(),
    reason: text("reason").notNull(),
    reference: text("reference").notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: instant("created_at").notNull(),
    /** The line that holds its entry. */
    lineId: integer("line_id").references(() => payoutLines.id),
  },
  (t) => [
    uniqueIndex("adjustments_reference").on(t.programId, t.partnerId, t.reference),
    index("adjustments_payable").on(t.programId, t.currency, t.partnerId, t.createdAt).where(sql`line_id is null`),
    check("adjustments_amount", sql`${t.amountCents} <> 0 and abs(${t.amountCents}) <= 100000000000`),
  ],
);
