import { and, asc, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { BalanceSums } from "../../domain/balance.ts";
import { type Database, readBatch } from "../database.ts";
import { partners } from "../schema/partners.ts";
import { partnerBalances as balances } from "../schema/payout-entries.ts";
import { type Compiler, readAll, readFirst } from "../statement.ts";

export interface BalanceView extends BalanceSums {
  readonly partnerId: number;
  readonly name: string;
  readonly currency: string;
}

export type BalancePosition = {
  readonly currency: string;
  readonly partnerId: number;
};

const given = sql.placeholder;

/** As text: the client refuses an answer with an integer above 2^53. */
const cents = (amount: SQLWrapper) => sql`cast(${amount} as text)`.mapWith(BigInt);

/** Of this partner's lines in payouts that have steps left, which are few. */
const unfinished = (amount: SQL, condition: SQL) =>
  cents(sql`coalesce((
    select sum(${amount}) from payouts p indexed by payouts_unfinished
    cross join payout_lines l on l.payout_id = p.id and l.partner_id = ${balances.partnerId}
    where p.phase is not null and p.program_id = ${balances.programId} and p.currency = ${balances.currency} and ${condition}
  ), 0)`);

const isFreed = sql`l.held_entries > 0
  and (l.state in ('dropped', 'failed') or p.status = 'canceled' or p.phase = 'returning')`;
const isConfirmed = sql`p.status = 'confirming' and l.state = 'live' and l.is_posted = 0`;

const sums = {
  pendingCents: cents(balances.pendingCents),
  netCents: cents(balances.netCents),
  inPayoutCents: cents(balances.inPayoutCents),
  paidCents: cents(balances.paidCents),
  freedCents: unfinished(sql`l.held_cents`, isFreed),
  confirmedCents: unfinished(sql`l.amount_cents`, isConfirmed),
};

const page = readAll<BalancePosition & { programId: number; limit: number }, BalanceView>((db: Compiler) =>
  db
    .select({ partnerId: balances.partnerId, name: partners.name, currency: balances.currency, ...sums })
    .from(balances)
    .innerJoin(partners, eq(partners.id, balances.partnerId))
    .where(
      and(
        eq(balances.programId, given("programId")),
        sql`(${balances.currency}, ${balances.partnerId}) > (${given("currency")}, ${given("partnerId")})`,
      ),
    )
    .orderBy(asc(balances.currency), asc(balances.partnerId))
    .limit(given("limit")),
);

export const balanceOfPartner = readFirst<BalancePosition & { programId: number }, BalanceSums>((db) =>
  db
    .select(sums)
    .from(balances)
    .where(
      and(
        eq(balances.programId, given("programId")),
        eq(balances.currency, given("currency")),
        eq(balances.partnerId, given("partnerId")),
      ),
    ),
);

/** Of the live book. By currency, then by partner. */
export async function listBalances(
  database: Database,
  programId: number,
  after: BalancePosition,
  limit: number,
): Promise<readonly BalanceView[]> {
  return (await readBatch(database, { found: page({ programId, ...after, limit }) })).found;
}
