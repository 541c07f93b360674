import { and, asc, desc, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
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

export const balanceSorts = ["currency", "payable"] as const;
export type BalanceSort = (typeof balanceSorts)[number];

export type BalancePosition = {
  readonly currency: string;
  readonly partnerId: number;
  /** Payable or carried amount, as digits. Only the order by `payable` reads it. */
  readonly netCents: string;
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

/** Of a line `l` in an unfinished payout `p`: what it holds belongs to the balance again. */
export const isFreed = sql`l.held_entries > 0
  and (l.state in ('dropped', 'failed') or p.status = 'canceled' or p.phase = 'returning')`;
/** Of a line `l` in an unfinished payout `p`: it is paid, and its entry has yet to be written. */
export const isConfirmed = sql`p.status = 'confirming' and l.state = 'live' and l.is_posted = 0`;

const sums = {
  pendingCents: cents(balances.pendingCents),
  netCents: cents(balances.netCents),
  inPayoutCents: cents(balances.inPayoutCents),
  paidCents: cents(balances.paidCents),
  freedCents: unfinished(sql`l.held_cents`, isFreed),
  confirmedCents: unfinished(sql`l.amount_cents`, isConfirmed),
};

type BalanceKey = { programId: number; currency: string; partnerId: number };

/** Undefined as the `currency`: all. */
export interface BalanceList {
  readonly programId: number;
  readonly currency: string | undefined;
  readonly sort: BalanceSort;
  readonly after: BalancePosition | undefined;
  readonly limit: number;
}

type PageQuery = BalancePosition & { programId: number; only: string | null; limit: number };

const net = sql`(${balances.netCents} + coalesce((
  select sum(l.held_cents) from payouts p indexed by payouts_unfinished
  cross join payout_lines l on l.payout_id = p.id and l.partner_id = ${balances.partnerId}
  where p.phase is not null and p.program_id = ${balances.programId} and p.currency = ${balances.currency} and ${isFreed}
), 0))`;
const givenNet = sql`cast(${given("netCents")} as integer)`;

const orders = {
  currency: {
    isAfter: sql`(${balances.currency}, ${balances.partnerId}) > (${given("currency")}, ${given("partnerId")})`,
    by: [asc(balances.currency), asc(balances.partnerId)],
  },
  payable: {
    isAfter: sql`(${balances.currency}, -${net}, ${balances.partnerId})
      > (${given("currency")}, -${givenNet}, ${given("partnerId")})`,
    by: [asc(balances.currency), desc(net), asc(balances.partnerId)],
  },
} as const;

const pageBy = (sort: BalanceSort) =>
  readAll<PageQuery, BalanceView>((db: Compiler) =>
    db
      .select({ partnerId: balances.partnerId, name: partners.name, currency: balances.currency, ...sums })
      .from(balances)
      .innerJoin(partners, eq(partners.id, balances.partnerId))
      .where(
        and(
          eq(balances.programId, given("programId")),
          sql`(${given("only")} is null or ${balances.currency} = ${given("only")})`,
          orders[sort].isAfter,
        ),
      )
      .orderBy(...orders[sort].by)
      .limit(given("limit")),
  );

const pages = { currency: pageBy("currency"), payable: pageBy("payable") };

const start: BalancePosition = { currency: "", partnerId: 0, netCents: "0" };

export const balanceOfPartner = readFirst<BalanceKey, BalanceSums>((db) =>
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

export const balancePage = ({ programId, currency, sort, after = start, limit }: BalanceList) =>
  pages[sort]({ ...after, programId, only: currency ?? null, limit });

/** Of the live book. By currency, then by partner or by what is payable, the most first. */
export async function listBalances(database: Database, list: BalanceList): Promise<readonly BalanceView[]> {
  return (await readBatch(database, { found: balancePage(list) })).found;
}
