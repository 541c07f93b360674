import { and, asc, eq, type SQLWrapper, sql } from "drizzle-orm";
import type { Balance } from "#domain/balance.ts";
import { dayIn, dayMs } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import { clamped } from "#domain/money.ts";
import { type Database, readBatch } from "../database.ts";
import { partnerBalances as balances } from "../schema/partner-balances.ts";
import { payouts } from "../schema/payouts.ts";
import { given, readAll } from "../statement.ts";
import { type BalanceList, type BalanceView, balancePage } from "./balances.ts";

type Sums = Readonly<Record<keyof Balance, bigint>> & { readonly currency: string };

/** Selected as text, because the libSQL client rejects integers above 2^53. */
const total = (amount: SQLWrapper) => sql`cast(sum(${amount}) as text)`.mapWith(BigInt);

const totals = readAll<{ programId: ProgramId }, Sums>((db) =>
  db
    .select({
      currency: balances.currency,
      pendingCents: total(balances.pendingCents),
      payableCents: total(sql`max(${balances.payableCents}, 0)`),
      inPayoutCents: total(balances.inPayoutCents),
      paidCents: total(balances.paidCents),
      carriedCents: total(sql`min(${balances.payableCents}, 0)`),
    })
    .from(balances)
    .where(eq(balances.programId, given("programId")))
    .groupBy(balances.currency)
    .orderBy(asc(balances.currency)),
);

interface Payment {
  readonly currency: string;
  readonly paidAt: number | null;
  readonly cents: bigint;
}

/**
 * When the payout was paid. A payout that is settled by API is paid once its last line is settled or given back. Before
 * that, the result is the time when the payout was finalized, so that its lines needn't be read.
 */
const paidAt = sql<number | null>`coalesce(${payouts.paidAt}, ${payouts.finalizedAt})`;

const payments = readAll<{ programId: ProgramId; since: number }, Payment>((db) =>
  db
    .select({
      currency: payouts.currency,
      paidAt,
      cents:
        sql`cast(iif(${payouts.settledBy} = 'api', ${payouts.settledCents} - ${payouts.returnedCents}, ${payouts.totalCents} - coalesce((
        select sum(l.amount_cents) from payout_lines l where l.payout_id = payouts.id and l.state = 'failed'
      ), 0)) as text)`.mapWith(BigInt),
    })
    .from(payouts)
    .where(
      and(
        eq(payouts.programId, given("programId")),
        sql`(${payouts.status} = 'paid' or (${payouts.status} = 'final' and ${payouts.settledBy} = 'api'))`,
        sql`${paidAt} >= ${given("since")}`,
      ),
    ),
);

export interface BalanceTotals extends Balance {
  readonly currency: string;
  /** Payments of this year by day of payment, less returned payments. */
  readonly paidThisYearCents: number;
}

/** Returns the balances of a page and the totals of all partners, listed or not. The year is in the given time zone. */
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
    // In every time zone, the year begins within a day of its beginning in UTC.
    payments: payments({ programId, since: Date.UTC(Number(year), 0, 1) - dayMs }),
  });
  const paid = read.payments.filter(({ paidAt }) => paidAt !== null && dayIn(timezone, paidAt).startsWith(year));
  return { found: read.found, totals: read.totals.map((each) => withPayments(each, paid)) };
}

function withPayments({ currency, ...sums }: Sums, paid: readonly Payment[]): BalanceTotals {
  const thisYear = paid.filter((each) => each.currency === currency).reduce((sum, { cents }) => sum + cents, 0n);
  return {
    currency,
    pendingCents: clamped(sums.pendingCents),
    payableCents: clamped(sums.payableCents),
    inPayoutCents: clamped(sums.inPayoutCents),
    paidCents: clamped(sums.paidCents),
    carriedCents: clamped(sums.carriedCents),
    paidThisYearCents: clamped(thisYear),
  };
}
