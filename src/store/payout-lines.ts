import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import type { LineState } from "../domain/payout-status.ts";
import { commissions, ledgerEntries } from "./schema/commissions.ts";
import { partners } from "./schema/partners.ts";
import { partnerBalances, payoutLineEntries } from "./schema/payout-entries.ts";
import { adjustments, payoutLines, payouts } from "./schema/payouts.ts";
import { sales } from "./schema/sales.ts";
import { everyColumn, insert, param, readAll, readFirst, update, write } from "./statement.ts";

export type LineRow = typeof payoutLines.$inferSelect;

const given = sql.placeholder;
const isOfPayout = eq(payoutLines.payoutId, given("payoutId"));
const hasId = eq(payoutLines.id, given("id"));

export const lineOfPartner = readFirst<{ payoutId: number; partnerId: number }, LineRow>((db) =>
  db
    .select()
    .from(payoutLines)
    .where(and(isOfPayout, eq(payoutLines.partnerId, given("partnerId")))),
);

/** The partner's last payment that didn't fail was finalized then, with the address of that time (ms). */
export const paidEmailAt = sql<number | null>`(
  select max(p.finalized_at) from ${payoutLines} l join ${payouts} p on p.id = l.payout_id
  where l.partner_id = ${partners.id} and l.state = 'live' and p.confirmed_at is not null)`;

export interface CandidateRow {
  readonly partnerId: number;
  readonly name: string;
  readonly email: string | null;
  readonly isPaused: boolean;
  readonly emailChangedAt: number | null;
  readonly paidEmailAt: number | null;
  readonly commissionCents: number;
  /** Those that the entries add to or take from. */
  readonly commissions: number;
  readonly adjustmentCents: number;
  readonly grossCents: number;
  readonly hasLine: boolean;
}

type CandidateQuery = {
  programId: number;
  currency: string;
  until: number;
  /** JSON. */
  partnerIds: string | null;
  payoutId: number | null;
  after: number;
  limit: number;
};

/**
 * Partners with a balance in the currency, by id, with the entries approved by `until` that no line has taken.
 * Their sums are floats: exact below 2^53, and readable beyond.
 */
export const payoutCandidates = readAll<CandidateQuery, CandidateRow>((db) => {
  const ofPartner = sql`t.program_id = ${partnerBalances.programId} and t.currency = ${partnerBalances.currency}
    and t.partner_id = ${partnerBalances.partnerId}`;
  const payable = sql`from ${commissions} t where ${ofPartner} and t.is_test = 0 and t.approved_at is not null
    and t.approved_at <= ${given("until")} and t.untaken_entries > 0`;
  const adjusted = sql`from ${adjustments} t where ${ofPartner} and t.line_id is null
    and t.created_at <= ${given("until")}`;
  return db
    .select({
      partnerId: partners.id,
      name: partners.name,
      email: partners.email,
      isPaused: sql<boolean>`${partners.status} = 'paused'`.mapWith(Boolean),
      emailChangedAt: partners.emailChangedAt,
      paidEmailAt,
      commissionCents: sql<number>`(select total(t.untaken_cents) ${payable})`,
      commissions: sql<number>`(select count(*) ${payable} and t.untaken_cents <> 0)`,
      adjustmentCents: sql<number>`(select total(t.amount_cents) ${adjusted})`,
      grossCents: sql<number>`(select total(abs(t.untaken_cents)) ${payable})
        + (select total(abs(t.amount_cents)) ${adjusted})`,
      hasLine: sql<boolean>`exists (select 1 from ${payoutLines} l
        where l.payout_id = ${given("payoutId")} and l.partner_id = ${partners.id})`.mapWith(Boolean),
    })
    .from(partnerBalances)
    .innerJoin(partners, eq(partners.id, partnerBalances.partnerId))
    .where(
      and(
        eq(partnerBalances.programId, given("programId")),
        eq(partnerBalances.currency, given("currency")),
        gt(partnerBalances.partnerId, given("after")),
        sql`(${given("partnerIds")} is null
          or ${partnerBalances.partnerId} in (select value from json_each(${given("partnerIds")})))`,
      ),
    )
    .orderBy(asc(partnerBalances.partnerId))
    .limit(given("limit"));
});

/** A line that was computed before keeps what it was, to tell what has changed. */
export const saveProposal = insert<LineRow>((db) =>
  db
    .insert(payoutLines)
    .values(everyColumn(payoutLines))
    .onConflictDoUpdate({
      target: [payoutLines.payoutId, payoutLines.partnerId],
      set: {
        state: sql`excluded.state`,
        reason: sql`excluded.reason`,
        name: sql`excluded.name`,
        email: sql`excluded.email`,
        emailChangedAt: sql`excluded.email_changed_at`,
        beforeCents: sql`iif(payout_lines.state = 'proposed', payout_lines.amount_cents, 0)`,
        amountCents: sql`excluded.amount_cents`,
        commissions: sql`excluded.commissions`,
      },
    }),
);

export const deleteLines = write<{ payoutId: number }>((db) => db.delete(payoutLines).where(isOfPayout));

type StepQuery = { payoutId: number; limit: number };

/** Lines that have yet to take their entries, by id. */
export const linesToReserve = readAll<StepQuery, LineRow>((db) =>
  db
    .select()
    .from(payoutLines)
    .where(and(isOfPayout, eq(payoutLines.state, "reserving")))
    .orderBy(asc(payoutLines.id))
    .limit(given("limit")),
);

export interface TakeableCommission {
  readonly lineId: number;
  readonly id: number;
  readonly cents: number;
  readonly entries: number;
  readonly isApproved: boolean;
  readonly heldBy: number | null;
  /** Of entries that the line has already. */
  readonly inLineCents: number;
  readonly transactionId: string;
}

/** Commissions with entries for the lines that are being reserved, in the order of these lines. */
export const takeableCommissions = readAll<StepQuery & { until: number }, TakeableCommission>((db) =>
  db
    .select({
      lineId: payoutLines.id,
      id: commissions.id,
      cents: commissions.untakenCents,
      entries: commissions.untakenEntries,
      isApproved: sql<boolean>`${commissions.status} = 'approved'`.mapWith(Boolean),
      heldBy: commissions.lineId,
      inLineCents: sql<number>`iif(${payoutLines.heldEntries} = 0, 0, (
        select coalesce(sum(t.amount_cents), 0) from ${payoutLineEntries} t
        where t.line_id = ${payoutLines.id} and t.commission_id = ${commissions.id}))`,
      transactionId: sales.transactionId,
    })
    .from(payoutLines)
    .crossJoin(commissions)
    .innerJoin(sales, eq(sales.id, commissions.saleId))
    .where(
      and(
        isOfPayout,
        eq(payoutLines.state, "reserving"),
        eq(commissions.programId, payoutLines.programId),
        eq(commissions.currency, payoutLines.currency),
        eq(commissions.partnerId, payoutLines.partnerId),
        sql`${commissions.isTest} = 0 and ${commissions.approvedAt} is not null
          and ${commissions.approvedAt} <= ${given("until")} and ${commissions.untakenEntries} > 0`,
      ),
    )
    .orderBy(asc(payoutLines.id))
    .limit(given("limit")),
);

export interface TakeableAdjustment {
  readonly lineId: number;
  readonly id: number;
  readonly cents: number;
  readonly entries: number;
}

export const takeableAdjustments = readAll<StepQuery & { until: number }, TakeableAdjustment>((db) =>
  db
    .select({
      lineId: payoutLines.id,
      id: adjustments.id,
      cents: adjustments.amountCents,
      entries: sql<number>`1`,
    })
    .from(payoutLines)
    .crossJoin(adjustments)
    .where(
      and(
        isOfPayout,
        eq(payoutLines.state, "reserving"),
        eq(adjustments.programId, payoutLines.programId),
        eq(adjustments.currency, payoutLines.currency),
        eq(adjustments.partnerId, payoutLines.partnerId),
        sql`${adjustments.lineId} is null and ${adjustments.createdAt} <= ${given("until")}`,
      ),
    )
    .orderBy(asc(payoutLines.id))
    .limit(given("limit")),
);

// Writes of a step take JSON arrays: `pairs` are [line, commission] or [line, adjustment].
const pairs = () => sql`json_each(${given("pairs")}) j`;
const lineOfPair = sql`(j.value ->> 0)`;
const itemOfPair = sql`(j.value ->> 1)`;

const entriesTaken = (key: string) => sql`select e.id, ${lineOfPair}, e.commission_id, e.amount_cents
  from ${pairs()} cross join ${ledgerEntries} e on e.${sql.raw(key)} = ${itemOfPair}
  where not exists (select 1 from ${payoutLineEntries} t where t.entry_id = e.id)`;

export const takeEntries = write<{ pairs: string }>((db) =>
  db.insert(payoutLineEntries).select(entriesTaken("commission_id")),
);

export const takeAdjustments = write<{ pairs: string }>((db) =>
  db.insert(payoutLineEntries).select(entriesTaken("adjustment_id")),
);

export const reserveCommissions = write<{ pairs: string }>((db) =>
  db.update(commissions).set({ lineId: lineOfPair }).from(pairs()).where(sql`${commissions.id} = ${itemOfPair}`),
);

export const saveLine = update(
  payoutLines,
  { id: payoutLines.id },
  {
    state: payoutLines.state,
    reason: payoutLines.reason,
    amountCents: payoutLines.amountCents,
    commissions: payoutLines.commissions,
  },
);

export interface FreeableEntry {
  readonly lineId: number;
  readonly entryId: number;
  readonly commissionId: number | null;
  readonly heldBy: number | null;
  readonly isSaleRefunded: boolean;
  readonly transactionId: string | null;
}

/** Entries of lines in these states (a JSON array), those of a commission together. */
export const freeableEntries = readAll<StepQuery & { states: string }, FreeableEntry>((db) =>
  db
    .select({
      lineId: payoutLines.id,
      entryId: payoutLineEntries.entryId,
      commissionId: payoutLineEntries.commissionId,
      heldBy: commissions.lineId,
      isSaleRefunded: sql<boolean>`${sales.refundedCents} = ${sales.amountCents}`.mapWith(Boolean),
      transactionId: sales.transactionId,
    })
    .from(payoutLines)
    .crossJoin(payoutLineEntries)
    .leftJoin(commissions, eq(commissions.id, payoutLineEntries.commissionId))
    .leftJoin(sales, eq(sales.id, commissions.saleId))
    .where(
      and(
        isOfPayout,
        sql`${payoutLines.state} in (select value from json_each(${given("states")})) and ${payoutLines.heldEntries} > 0`,
        eq(payoutLineEntries.lineId, payoutLines.id),
      ),
    )
    .limit(given("limit")),
);

export const freeEntries = write<{ pairs: string }>((db) =>
  db.delete(payoutLineEntries).where(
    sql`${payoutLineEntries.entryId} in (
      select t.entry_id from ${pairs()} cross join ${payoutLineEntries} t
      on t.line_id = ${lineOfPair} and t.commission_id = ${itemOfPair})`,
  ),
);

/** `entryIds`: a JSON array. */
export const freeAdjustments = write<{ entryIds: string }>((db) =>
  db
    .delete(payoutLineEntries)
    .where(sql`${payoutLineEntries.entryId} in (select value from json_each(${given("entryIds")}))`),
);

/** `freed`: a JSON array of [commission, status]. */
export const freeCommissions = write<{ freed: string }>((db) =>
  db
    .update(commissions)
    .set({ lineId: sql`null`, status: sql`(j.value ->> 1)` })
    .from(sql`json_each(${given("freed")}) j`)
    .where(sql`${commissions.id} = (j.value ->> 0)`),
);

const computedStates: LineState[] = ["reserving", "live", "dropped"];

export const linesToReturn = readAll<StepQuery, { id: number }>((db) =>
  db
    .select({ id: payoutLines.id })
    .from(payoutLines)
    .where(and(isOfPayout, inArray(payoutLines.state, computedStates)))
    .limit(given("limit")),
);

/** `ids`: a JSON array. The lines become a draft's again. */
export const returnLines = write<{ ids: string }>((db) =>
  db
    .update(payoutLines)
    .set({ state: sql`iif(${payoutLines.state} = 'dropped', 'skipped', 'proposed')` })
    .where(sql`${payoutLines.id} in (select value from json_each(${given("ids")}))`),
);

export type UnpaidLine = Pick<LineRow, "id" | "partnerId" | "amountCents">;

export const unpaidLines = readAll<StepQuery, UnpaidLine>((db) =>
  db
    .select({
      id: sql<number>`${payoutLines.id}`,
      partnerId: sql<number>`${payoutLines.partnerId}`,
      amountCents: sql<number>`${payoutLines.amountCents}`,
    })
    // By its state, each step would read all lines that earlier ones have paid.
    .from(sql`${payoutLines} indexed by payout_lines_unposted`)
    .where(and(isOfPayout, sql`${payoutLines.state} = 'live' and ${payoutLines.isPosted} = 0`))
    .orderBy(asc(payoutLines.id))
    .limit(given("limit")),
);

export const unpaidCommissions = readAll<StepQuery, { lineId: number; id: number; entries: number }>((db) =>
  db
    .select({ lineId: payoutLines.id, id: commissions.id, entries: sql<number>`1` })
    .from(payoutLines)
    .crossJoin(commissions)
    .where(
      and(
        isOfPayout,
        sql`${payoutLines.state} = 'live' and ${payoutLines.isPosted} = 0`,
        eq(commissions.lineId, payoutLines.id),
        eq(commissions.status, "approved"),
      ),
    )
    .orderBy(asc(payoutLines.id))
    .limit(given("limit")),
);

/** `ids`: a JSON array. */
export const payCommissions = write<{ ids: string }>((db) =>
  db
    .update(commissions)
    .set({ status: "paid" })
    .where(sql`${commissions.id} in (select value from json_each(${given("ids")}))`),
);

export const failLine = write<{ id: number; at: number; by: string; failure: string }>((db) =>
  db
    .update(payoutLines)
    .set({ state: "failed", failedAt: param("at"), failedBy: param("by"), failure: param("failure") })
    .where(hasId),
);
