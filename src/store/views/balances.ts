import { and, asc, desc, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { BalanceSums } from "#domain/balance.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "../database.ts";
import { codeOfPartner } from "../partners.ts";
import { partnerBalances as balances } from "../schema/partner-balances.ts";
import { partners } from "../schema/partners.ts";
import { type Compiler, given, type RowOf, readAll, readFirst } from "../statement.ts";

export const balanceSorts = ["currency", "payable", "pending", "inPayout", "carried"] as const;
export type BalanceSort = (typeof balanceSorts)[number];
export type AmountSort = Exclude<BalanceSort, "currency">;

export type BalancePosition = {
  readonly currency: string;
  readonly partnerId: PartnerId;
  /** The amount by which the list is sorted, as a decimal string. Not used for sorting by `currency`. */
  readonly cents: string;
};

/** Selected as text, because the libSQL client rejects integers above 2^53. */
const cents = (amount: SQLWrapper) => sql`cast(${amount} as text)`.mapWith(BigInt);

const sums = {
  pendingCents: cents(balances.pendingCents),
  payableCents: cents(balances.payableCents),
  inPayoutCents: cents(balances.inPayoutCents),
  paidCents: cents(balances.paidCents),
};

type BalanceKey = { programId: ProgramId; currency: string; partnerId: PartnerId };

/** If `currency` is undefined, all currencies are listed. */
export interface BalanceList {
  readonly programId: ProgramId;
  readonly currency: string | undefined;
  readonly sort: BalanceSort;
  /**
   * If true, a balance is left out if the amount by which the list is sorted isn't shown or is 0. Not used for sorting
   * by `currency`.
   */
  readonly isNonzero: boolean;
  readonly after: BalancePosition | undefined;
  readonly limit: number;
}

type PageQuery = BalancePosition & { programId: ProgramId; only: string | null; limit: number };

const byAmount = (amount: SQLWrapper, isShown: SQL) => ({
  isAfter: sql`(${balances.currency}, -(${amount}), ${balances.partnerId})
    > (${given("currency")}, -cast(${given("cents")} as integer), ${given("partnerId")})`,
  by: [asc(balances.currency), desc(amount), asc(balances.partnerId)],
  isShown,
});

const orders = {
  currency: {
    isAfter: sql`(${balances.currency}, ${balances.partnerId}) > (${given("currency")}, ${given("partnerId")})`,
    by: [asc(balances.currency), asc(balances.partnerId)],
    isShown: undefined,
  },
  payable: byAmount(balances.payableCents, sql`${balances.payableCents} > 0`),
  pending: byAmount(balances.pendingCents, sql`${balances.pendingCents} <> 0`),
  inPayout: byAmount(balances.inPayoutCents, sql`${balances.inPayoutCents} <> 0`),
  carried: byAmount(sql`-${balances.payableCents}`, sql`${balances.payableCents} < 0`),
} as const satisfies Record<BalanceSort, object>;

const selectBalances = (db: Compiler) =>
  db
    .select({
      partnerId: balances.partnerId,
      partnerCode: codeOfPartner(balances),
      name: partners.name,
      currency: balances.currency,
      ...sums,
    })
    .from(balances)
    .innerJoin(partners, eq(partners.id, balances.partnerId));
export type BalanceView = RowOf<typeof selectBalances>;

const amounts = {
  payable: ({ payableCents }) => payableCents,
  pending: ({ pendingCents }) => pendingCents,
  inPayout: ({ inPayoutCents }) => inPayoutCents,
  carried: ({ payableCents }) => -payableCents,
} as const satisfies Record<AmountSort, (balance: BalanceSums) => bigint>;

/** The amount by which the balance is sorted, as a decimal string. */
export const sortedCents = (balance: BalanceSums, sort: BalanceSort): string =>
  sort === "currency" ? "0" : String(amounts[sort](balance));

const pageBy = (sort: BalanceSort, isNonzero: boolean) =>
  readAll<PageQuery, BalanceView>((db) =>
    selectBalances(db)
      .where(
        and(
          eq(balances.programId, given("programId")),
          sql`(${given("only")} is null or ${balances.currency} = ${given("only")})`,
          orders[sort].isAfter,
          isNonzero ? orders[sort].isShown : undefined,
        ),
      )
      .orderBy(...orders[sort].by)
      .limit(given("limit")),
  );

const pagesBy = (isNonzero: boolean) =>
  Object.fromEntries(balanceSorts.map((sort) => [sort, pageBy(sort, isNonzero)])) as Readonly<
    Record<BalanceSort, ReturnType<typeof pageBy>>
  >;
const pages = pagesBy(false);
const nonzeroPages = pagesBy(true);

const start: BalancePosition = { currency: "", partnerId: 0, cents: "0" };

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

const nextCurrency = (after: SQL) => sql`select min(e.currency) from ledger_entries e
  where e.program_id = ${given("programId")} and e.partner_id = ${given("partnerId")} and e.is_test = 0
    and e.currency > ${after}`;

/**
 * A query of the currencies in which a partner has entries in the live book. Each step jumps to the next currency in
 * the index instead of reading all entries. Its placeholders are `programId` and `partnerId`.
 */
export const currenciesOfPartner = sql`with recursive found(currency) as (
  ${nextCurrency(sql`''`)} union all select (${nextCurrency(sql`found.currency`)}) from found where found.currency is not null
) select currency from found where currency is not null`;

/** Balances in the live book, by currency. */
export const balancesOfPartner = readAll<Omit<BalanceKey, "currency">, BalanceSums & { readonly currency: string }>(
  (db) =>
    db
      .select({ currency: balances.currency, ...sums })
      .from(balances)
      .where(
        and(
          eq(balances.programId, given("programId")),
          eq(balances.partnerId, given("partnerId")),
          sql`${balances.currency} in (${currenciesOfPartner})`,
        ),
      )
      .orderBy(asc(balances.currency)),
);

export const balancePage = ({ programId, currency, sort, isNonzero, after = start, limit }: BalanceList) =>
  (isNonzero ? nonzeroPages : pages)[sort]({ ...after, programId, only: currency ?? null, limit });

/** Lists balances of the live book by currency, then by partner or by an amount, highest first. */
export async function listBalances(database: Database, list: BalanceList): Promise<readonly BalanceView[]> {
  return await readOne(database, balancePage(list));
}
