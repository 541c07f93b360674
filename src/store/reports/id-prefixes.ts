import { and, asc, eq, type SQLWrapper, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { customers } from "../schema/customers.ts";
import { sales } from "../schema/sales.ts";
import { type Found, given, readAll, unencoded } from "../statement.ts";

/** Maximum number of ids returned for each kind. */
const shownAtMost = 3;

type PrefixQuery = { programId: ProgramId; isTest: boolean; prefix: string };

/** The highest Unicode code point. No id from a caller contains a higher one. */
const lastCharacter = "\u{10FFFF}";

/** A range of the table's unique index by id. It excludes an id equal to the prefix. */
const startsWith = (table: typeof sales | typeof customers, id: SQLWrapper) =>
  and(
    eq(table.programId, given("programId")),
    sql`${table.isTest} = ${unencoded("isTest")}`,
    sql`${id} > ${unencoded("prefix")} and ${id} < ${unencoded("prefix")} || ${lastCharacter}`,
  );

export interface SaleOfPrefix {
  readonly transactionId: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly occurredAt: number;
}

const salesOfPrefix = readAll<PrefixQuery, SaleOfPrefix>((db) =>
  db
    .select({
      transactionId: sales.transactionId,
      amountCents: sales.amountCents,
      currency: sales.currency,
      occurredAt: sales.occurredAt,
    })
    .from(sales)
    .where(startsWith(sales, sales.transactionId))
    .orderBy(asc(sales.transactionId))
    .limit(shownAtMost),
);

const customersOfPrefix = readAll<PrefixQuery, { readonly customerKey: string }>((db) =>
  db
    .select({ customerKey: sql<string>`${customers.customerKey}` })
    .from(customers)
    .where(startsWith(customers, customers.customerKey))
    .orderBy(asc(customers.customerKey))
    .limit(shownAtMost),
);

export interface IdsOfPrefix {
  readonly sales: readonly SaleOfPrefix[];
  readonly customers: readonly { readonly customerKey: string }[];
}

/** Finds transaction ids and customer keys that begin with the prefix and are longer, in both books. */
export function idsOfPrefix(programId: ProgramId, prefix: string) {
  const inBook = (isTest: boolean) => ({ programId, isTest, prefix });
  return {
    liveSales: salesOfPrefix(inBook(false)),
    liveCustomers: customersOfPrefix(inBook(false)),
    testSales: salesOfPrefix(inBook(true)),
    testCustomers: customersOfPrefix(inBook(true)),
  };
}

type FoundIds = Found<ReturnType<typeof idsOfPrefix>>;

export const inBooks = (read: FoundIds): Readonly<Record<"live" | "test", IdsOfPrefix>> => ({
  live: { sales: read.liveSales, customers: read.liveCustomers },
  test: { sales: read.testSales, customers: read.testCustomers },
});
