import { and, asc, count, eq, getTableColumns, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { PartnerId, PayoutId, PayoutLineId, ProgramId } from "#domain/ids.ts";
import { codeOfPartner } from "./partners.ts";
import { paymentVersionOf } from "./payment-details.ts";
import { gapsOf } from "./payout-ranges.ts";
import { largestInteger } from "./schema/columns.ts";
import { ledgerEntries } from "./schema/commissions.ts";
import { partnerBalances } from "./schema/partner-balances.ts";
import { partners } from "./schema/partners.ts";
import { payoutLines, payouts } from "./schema/payouts.ts";
import { programs } from "./schema/programs.ts";
import {
  type Compiler,
  given,
  newValuesOf,
  type RowOf,
  readAll,
  readCount,
  readFirst,
  unencoded,
  type Write,
  write,
} from "./statement.ts";

export type LineRow = typeof payoutLines.$inferSelect;

const isOfPayout = eq(payoutLines.payoutId, given("payoutId"));

export const lineOfPartner = readFirst<{ payoutId: PayoutId; partnerId: PartnerId }, LineRow>((db) =>
  db
    .select()
    .from(payoutLines)
    .where(and(isOfPayout, eq(payoutLines.partnerId, given("partnerId")))),
);

export const lineById = readFirst<{ payoutId: PayoutId; id: PayoutLineId }, LineRow>((db) =>
  db
    .select()
    .from(payoutLines)
    .where(and(eq(payoutLines.id, given("id")), isOfPayout)),
);

/** A recursive table of the currencies in which partners of the program have active lines. */
const paidIn = sql`paid_in(currency) as (
    select min(l.currency) from live_lines l where l.program_id = ${partners.programId}
    union all
    select (select min(l.currency) from live_lines l where l.program_id = ${partners.programId} and l.currency > paid_in.currency)
    from paid_in where paid_in.currency is not null
  )`;

/**
 * When the partner's last successful payout that a person paid was finalized (ms). That payout used the payment details
 * that the partner had at this instant. Null if there is none. Also null if the details were never replaced, because
 * the instant isn't needed then. Reads the newest paid line in each currency of the program.
 */
export const lastPaidAt = sql<number | null>`iif(${partners.detailsChangedAt} is null, null, (
  with recursive ${paidIn}
  select max((
    select p.finalized_at from live_lines l join payouts p on p.id = l.payout_id
    where l.program_id = ${partners.programId} and l.currency = paid_in.currency and l.partner_id = ${partners.id}
      and p.status = 'paid' and p.settled_by = 'person'
    order by l.finalized_number desc limit 1
  )) from paid_in))`;

/**
 * The external id in the partner's last active line of a payout that is settled by API and was finalized before this
 * payout. Null if that external id is the same as `current`. Otherwise a JSON object.
 */
export const earlierExternalId = (current: SQL): SQL => sql`(
  with recursive ${paidIn}
  select iif(z.external_id is not ${current}, json_object('externalId', z.external_id), null)
  from (
    select paid_in.currency, (
      select l.finalized_number from live_lines l join payouts p on p.id = l.payout_id
      where l.program_id = ${partners.programId} and l.currency = paid_in.currency and l.partner_id = ${partners.id}
        and p.settled_by = 'api' and l.finalized_number < coalesce(${payouts.finalizedNumber}, ${largestInteger})
      order by l.finalized_number desc limit 1
    ) as number from paid_in
  ) e
  join live_lines n on n.program_id = ${partners.programId} and n.currency = e.currency
    and n.partner_id = ${partners.id} and n.finalized_number = e.number
  join payout_lines z on z.payout_id = n.payout_id and z.partner_id = ${partners.id}
  order by e.number desc limit 1)`;

/** The number of lines of these partners whose statement wasn't mailed. `partnerIds` is a JSON array. */
export const unmailedStatements = readCount<{ payoutId: PayoutId; partnerIds: string }>((db) =>
  db
    .select({ n: count() })
    .from(payoutLines)
    .where(
      and(
        isOfPayout,
        eq(payoutLines.state, "live"),
        isNotNull(payoutLines.statementNumber),
        isNull(payoutLines.statementMailedAt),
        sql`${payoutLines.partnerId} in (select value from json_each(${given("partnerIds")}))`,
      ),
    ),
);

type CandidateQuery = {
  programId: ProgramId;
  currency: string;
  cut: number;
  /** JSON array. */
  partnerIds: string | null;
  /** Null for a new payout. */
  payoutId: PayoutId | null;
  /**
   * The minimum of a new payout. If no partner who can be paid has at least this amount, there are no candidates. Null:
   * no minimum.
   */
  leastCents: number | null;
};

/** Selected as text, because the libSQL client rejects integers above 2^53. */
const cents = (column: string) => sql`cast(coalesce(${sql.raw(column)}, 0) as text)`.mapWith(BigInt);

const isAsked = sql`(${given("partnerIds")} is null or b.partner_id in (select value from json_each(${given("partnerIds")})))`;

/**
 * True if a partner's payable balance is at least `leastCents`. A line never pays more than this balance, so balances
 * alone can show that a payout would have no lines.
 */
const somebodyHas = sql`exists (
  select 1 from partner_balances b join partners k on k.id = b.partner_id
  where b.program_id = ${given("programId")} and b.currency = ${given("currency")} and ${isAsked}
    and b.payable_cents >= ${given("leastCents")} and (k.status <> 'paused' or ${given("partnerIds")} is not null))`;

const listed = sql`
  select b.partner_id from partner_balances b
  where (${given("leastCents")} is null or ${somebodyHas}) and b.program_id = ${given("programId")} and b.currency = ${given("currency")} and ${isAsked} and (
    b.payable_cents <> 0
    or exists (select 1 from payout_lines l where l.payout_id = ${given("payoutId")} and l.partner_id = b.partner_id))`;

const isUpTo = (number: string) => sql`${sql.raw(number)} <= ${given("cut")}`;

/**
 * The amounts that no live line pays. Reads each gap between the ranges of live lines, so commissions in earlier
 * payouts aren't read. A subquery sums up the commissions of each gap, because GROUP BY would sort all of them.
 */
const sums = sql`(with ${gapsOf(listed)},
  of_gaps(partner_id, sums) as materialized (
    select gap.partner_id, (
      select json_array(sum(iif(${isUpTo("c.payable_number")}, 0, c.amount_cents)),
        sum(iif(${isUpTo("c.payable_number")}, c.amount_cents, 0)), sum(${isUpTo("c.payable_number")}))
      from commissions c where c.program_id = ${given("programId")} and c.currency = ${given("currency")}
        and c.partner_id = gap.partner_id and c.is_test = 0 and c.status = 'approved'
        and c.payable_number > gap.from_number and c.payable_number <= gap.to_number)
    from gap
  ),
  of_commissions as (
    select partner_id, sum(sums ->> 0) as later_cents, sum(sums ->> 1) as commissions_cents, sum(sums ->> 2) as commissions
    from of_gaps group by partner_id
  ),
  bonuses as (
    select gap.partner_id, sum(iif(${isUpTo("e.id")}, 0, e.amount_cents)) as later_cents,
      sum(iif(${isUpTo("e.id")}, e.amount_cents, 0)) as cents
    from gap cross join ledger_entries e on e.program_id = ${given("programId")} and e.currency = ${given("currency")}
      and e.partner_id = gap.partner_id and e.adjustment_id is not null and e.amount_cents > 0
      and e.id > gap.from_number and e.id <= gap.to_number
    group by gap.partner_id
  ),
  write_offs as (
    select partner.id as partner_id, sum(e.amount_cents) as cents
    from partner cross join ledger_entries e on e.program_id = ${given("programId")} and e.currency = ${given("currency")}
      and e.partner_id = partner.id and e.adjustment_id is not null and e.amount_cents < 0
      and e.id > coalesce((
        select max(l.finalized_number) from live_lines l
        where l.program_id = ${given("programId")} and l.currency = ${given("currency")} and l.partner_id = partner.id
      ), 0)
    group by partner.id
  )
  select partner.id as partner_id, coalesce(c.later_cents, 0) + coalesce(a.later_cents, 0) as later_cents,
    c.commissions, c.commissions_cents, coalesce(a.cents, 0) + coalesce(w.cents, 0) as adjustments_cents
  from partner left join of_commissions c on c.partner_id = partner.id left join bonuses a on a.partner_id = partner.id
    left join write_offs w on w.partner_id = partner.id
) free`;

const selectCandidates = (db: Compiler) =>
  db
    .select({
      partnerId: partners.id,
      partnerCode: codeOfPartner(partnerBalances),
      name: partners.name,
      email: partners.email,
      externalId: partners.externalId,
      isPaused: sql<boolean>`${partners.status} = 'paused'`.mapWith(Boolean),
      detailsChangedAt: partners.detailsChangedAt,
      lastPaidAt,
      paymentId: paymentVersionOf(partners.id),
      needsDetails: sql<boolean>`${programs.requireDetails}`.mapWith(Boolean),
      payableCents: cents("partner_balances.payable_cents"),
      /** Approved commissions and positive adjustments that became payable after the cutoff and are in no live line. */
      laterCents: cents("free.later_cents"),
      /** Number of approved commissions that became payable up to the cutoff and are in no live line. */
      commissions: sql<number>`coalesce(free.commissions, 0)`,
      commissionsCents: cents("free.commissions_cents"),
      /**
       * Unpaid adjustments: positive ones up to the cutoff, and all negative ones since the partner's last live line
       * was finalized.
       */
      adjustmentsCents: cents("free.adjustments_cents"),
      /** The partner's line in this payout, if any. */
      lineId: payoutLines.id,
      lineState: payoutLines.state,
      lineCents: payoutLines.amountCents,
    })
    .from(sums)
    .crossJoin(partnerBalances)
    .innerJoin(partners, eq(partners.id, partnerBalances.partnerId))
    .innerJoin(programs, eq(programs.id, partners.programId))
    .leftJoin(payoutLines, and(isOfPayout, eq(payoutLines.partnerId, partners.id)));
export type CandidateRow = RowOf<typeof selectCandidates>;

/** Returns partners with a payable amount in the currency, or with a line in the payout, sorted by id. */
export const payoutCandidates = readAll<CandidateQuery, CandidateRow>((db) =>
  selectCandidates(db)
    .where(
      and(
        sql`${partnerBalances.partnerId} = free.partner_id`,
        eq(partnerBalances.programId, given("programId")),
        eq(partnerBalances.currency, given("currency")),
      ),
    )
    .orderBy(asc(partnerBalances.partnerId)),
);

const lineColumns = getTableColumns(payoutLines);
const { id, ...valueColumns } = lineColumns;

/** The database rejects an argument of more than about 5 MB. A line with a long name has 1 kB. */
const linesPerStatement = 1_000;

/** Inserts lines. A line that the draft already has is updated and keeps its id. */
export const saveLines = (lines: readonly LineRow[]): readonly Write[] =>
  Array.from({ length: Math.ceil(lines.length / linesPerStatement) }, (_, i) =>
    saveSome({ lines: JSON.stringify(lines.slice(i * linesPerStatement, (i + 1) * linesPerStatement)) }),
  );

const saveSome = write<{ lines: string }>((db) =>
  db
    .insert(payoutLines)
    .select(
      sql`select ${sql.join(
        Object.keys(lineColumns).map((name) => sql.raw(`j.value ->> '${name}'`)),
        sql`, `,
      )} from json_each(${given("lines")}) j where true`,
    )
    .onConflictDoUpdate({
      target: payoutLines.id,
      set: newValuesOf(valueColumns),
    }),
);

/** Inserts the `paid` entries of a payout's lines, with ids from `firstId` on. */
export const insertPaidEntries = write<{
  payoutId: PayoutId;
  firstId: number;
  occurredAt: number;
  createdAt: number;
  day: string;
}>((db) => {
  const values: Readonly<Record<keyof typeof ledgerEntries.$inferSelect, unknown>> = {
    id: sql`${unencoded("firstId")} + row_number() over (order by l.partner_id) - 1`,
    programId: sql`l.program_id`,
    isTest: sql`0`,
    commissionId: sql`null`,
    partnerId: sql`l.partner_id`,
    kind: sql`'paid'`,
    amountCents: sql`-l.amount_cents`,
    currency: sql`l.currency`,
    refundId: sql`null`,
    occurredAt: unencoded("occurredAt"),
    createdAt: unencoded("createdAt"),
    day: unencoded("day"),
    adjustmentId: sql`null`,
    payoutLineId: sql`l.id`,
  };
  const inOrder = Object.keys(getTableColumns(ledgerEntries)) as (keyof typeof values)[];
  return db.insert(ledgerEntries).select(
    sql`select ${sql.join(
      inOrder.map((name) => sql`${values[name]}`),
      sql`, `,
    )} from payout_lines l where l.payout_id = ${given("payoutId")} and l.state = 'live'`,
  );
});

type FailedLine = Pick<LineRow, "id" | "failedAt" | "failedBy" | "failureId" | "partnerNoteId" | "givenBackNumber">;

const failed = {
  state: "failed",
  failedAt: unencoded("failedAt"),
  failedBy: unencoded("failedBy"),
  failureId: unencoded("failureId"),
  givenBackNumber: unencoded("givenBackNumber"),
} as const;

export const failLine = write<FailedLine>((db) =>
  db
    .update(payoutLines)
    .set({ ...failed, partnerNoteId: unencoded("partnerNoteId") })
    .where(eq(payoutLines.id, given("id"))),
);

type OpenLines = Omit<FailedLine, "id" | "partnerNoteId"> & { payoutId: PayoutId };

export const giveBackOpenLines = write<OpenLines>((db) =>
  db
    .update(payoutLines)
    .set(failed)
    .where(and(isOfPayout, eq(payoutLines.state, "live"), isNull(payoutLines.settledAt))),
);

type Settlement = { id: PayoutLineId; settlementId: string; settledAt: number };

/** Also assigns the next number of the partner's statements. */
export const settleLine = write<Settlement>((db) =>
  db
    .update(payoutLines)
    .set({
      settlementId: unencoded("settlementId"),
      settledAt: unencoded("settledAt"),
      statementNumber: sql`1 + coalesce((
        select max(s.statement_number) from payout_lines s
        where s.partner_id = ${payoutLines.partnerId} and s.statement_number is not null), 0)`,
    })
    .where(eq(payoutLines.id, given("id"))),
);

export const settleLineLate = write<Settlement>((db) =>
  db
    .update(payoutLines)
    .set({ lateSettlementId: unencoded("settlementId"), lateSettledAt: unencoded("settledAt") })
    .where(eq(payoutLines.id, given("id"))),
);
