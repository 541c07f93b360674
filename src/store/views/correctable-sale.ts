import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { ProgramId, SaleId } from "#domain/ids.ts";
import { type Database, readOne } from "../database.ts";
import { runningWith } from "../erasures.ts";
import type { SaleRow } from "../sales.ts";
import { customers } from "../schema/customers.ts";
import { sales } from "../schema/sales.ts";
import { type Compiler, given, readFirst } from "../statement.ts";

export interface CorrectableSale {
  readonly sale: SaleRow;
  readonly customerKey: string | null;
  /** Transaction id of the sale as first reported. */
  readonly firstTransactionId: string;
}

const columns = {
  sale: getTableColumns(sales),
  customerKey: customers.customerKey,
  firstTransactionId: sql<string>`coalesce(
    (select f.transaction_id from ${sales} f where f.id = ${sales.correctedSaleId}), ${sales.transactionId}
  )`,
};

const selectById = <More extends Record<string, SQL>>(db: Compiler, more: More) =>
  db
    .select({ ...columns, ...more })
    .from(sales)
    .leftJoin(customers, eq(customers.id, sales.customerId))
    .where(and(eq(sales.programId, given("programId")), eq(sales.isTest, false), eq(sales.id, given("id"))));

type ById = { programId: ProgramId; id: SaleId };

const byId = readFirst<ById, CorrectableSale>((db) => selectById(db, {}));

/** Used in a program that has erased customers. `isBeingErased`: an erasure of the sale's customer is running. */
export const correctableNow = readFirst<ById, CorrectableSale & { readonly isBeingErased: boolean }>((db) =>
  selectById(db, {
    isBeingErased: sql<boolean>`exists (
      select 1 from ${runningWith(sales.programId, sales.customerId)})`.mapWith(Boolean),
  }),
);

export async function findCorrectableSale(database: Database, programId: ProgramId, id: SaleId) {
  return await readOne(database, byId({ programId, id }));
}
