import { and, asc, eq, gte, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Balance } from "../../domain/balance.ts";
import { dayIn, dayMs } from "../../domain/calendar.ts";
import { type Database, readBatch } from "../database.ts";
import { partnerBalances as balances } from "../schema/payout-entries.ts";
import { payouts } from "../schema/payouts.ts";
import { readAll } from "../statement.ts";
import { type BalanceList, type BalanceView, balancePage, isConfirmed, isFreed } from "./balances.ts";

const given = sql.placeholder;

type Sums = Readonly<Record<keyof Balance, bigint>> & { readonly currency: string };

/** As text: the client refuses an answer with an integer above 2^53. */
const total = (amount: SQLWrapper) => sql`cast(sum(${amount}) as text)`.mapWith(BigInt);

const ofUnfinished = (amount: SQL, condition: SQL) => sql`sum(iif(${condition}, ${amount}, 0))`;

/** Lines of payouts that have steps left, by partner and currency. Takes the placeholder `programId`. */
export const unfinishedLines = sql`(
  select p.currency, l.partner_id, ${ofUnfinished(sql`l.held_cents`, isFreed)} as freed,
    ${ofUnfinished(sql`l.amount_cents`, isConfirmed)} as confirmed
  from payouts p indexed by payouts_unfinished cross join payout_lines l on l.payout_id = p.id
  where p.phase is not null and p.program_id = ${given("programId")}
  group by p.currency, l.partner_id
) u`;
const freed = sql`coalesce(u.freed, 0)`;
const confirmed = sql`coalesce(u.confirmed, 0)`;
/** Payable if positive, carried if negative. Of a balance joined with its `unfinishedLines`. */
export const netCents = sql`(${balances.netCents} + ${freed})`;
export const isOfBalance = sql`u.currency = ${balances.currency} and u.partner_id = ${balances.partnerId}`;

const totals = readAll<{ programId: number }, Sums>((db) =>
  db
    .select({
      currency: balances.currency,
      pendingCents: total(balances.pendingCents),
      payableCents: total(sql`max(${netCents}, 0)`),
      inPayoutCents: total(sql`${balances.inPayoutCents} - ${freed} - ${confirmed}`),
      paidCents: total(sql`${balances.paidCents} + ${confirmed}`),
      carriedCents: total(sql`min(${netCents}, 0)`),
    })
    .from(balances)
    .leftJoin(unfinishedLines, isOfBalance)
    .where(eq(balances.programId, given("programId")))
    .groupBy(balances.currency)
    .orderBy(asc(balances.currency)),
);

interface Payment {
  readonly currency: string;
  readonly paidAt: number | null;
  readonly cents: bigint;
}

const payments = readAll<{ programId: number; since: number }, Payment>((db) =>
  db
    .select({
      currency: payouts.currency,
      paidAt: payouts.paidAt,
      cents: sql`cast(${payouts.totalCents} - coalesce((
        select sum(l.amount_cents) from payout_lines l where l.payout_id = payouts.id and l.state = 'failed'
      ), 0) as text)`.mapWith(BigInt),
    })
    .from(payouts)
    .where(
      and(
        eq(payouts.programId, given("programId")),
        inArray(payouts.status, ["confirming", "paid"]),
        gte(payouts.paidAt, given("since")),
      ),
    ),
);

export interface BalanceTotals extends Balance {
  readonly currency: string;
  /** By the day of payment, less returned payments. */
  readonly paidThisYearCents: number;
}

/** The balances, and the totals of all partners whatever is listed. The year is of the time zone. */
export async function readBalances(
  database: Database,
  list: BalanceList,
  { timezone, at }: { readonly timezone: string; readonly at: number },
): Promise<{ readonly found: readonly BalanceView[]; readonly totals: readonly BalanceTotals[] }> {
  const { programId } = list;
  const year = dayIn(timezone, at).slice(0, 4);
  const read = await readBatch(database, {
    found: balancePage(list),
    totals: totals({ programId }),
    // The year begins within a day of this in each time zone.
    payments: payments({ programId, since: Date.UTC(Number(year), 0, 1) - dayMs }),
  });
  const paid = read.payments.filter(({ paidAt }) => paidAt !== null && dayIn(timezone, paidAt).startsWith(year));
  return { found: read.found, totals: read.totals.map((each) => withPayments(each, paid)) };
}

function withPayments({ currency, ...sums }: Sums, paid: readonly Payment[]): BalanceTotals {
  const thisYear = paid.filter((each) => each.currency === currency).reduce((sum, { cents }) => sum + cents, 0n);
  return {
    currency,
    pendingCents: Number(sums.pendingCents),
    payableCents: Number(sums.payableCents),
    inPayoutCents: Number(sums.inPayoutCents),
    paidCents: Number(sums.paidCents),
    carriedCents: Number(sums.carriedCents),
    paidThisYearCents: Number(thisYear),
  };
}
