import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { ProgramId, SaleId } from "#domain/ids.ts";
import { type Database, readBatch } from "../database.ts";
import type { SaleRow } from "../sales.ts";
import { customers } from "../schema/customers.ts";
import { sales } from "../schema/sales.ts";
import { readFirst } from "../statement.ts";

export interface CorrectableSale {
  readonly sale: SaleRow;
  readonly customerKey: string | null;
  /** Of the sale as first reported. */
  readonly firstTransactionId: string;
}

const byId = readFirst<{ programId: ProgramId; id: SaleId }, CorrectableSale>((db) =>
  db
    .select({
      sale: getTableColumns(sales),
      customerKey: customers.customerKey,
      firstTransactionId: sql<string>`coalesce(
        (select f.transaction_id from ${sales} f where f.id = ${sales.correctedSaleId}), ${sales.transactionId}
      )`,
    })
    .from(sales)
    .leftJoin(customers, eq(customers.id, sales.customerId))
    .where(
      and(
        eq(sales.programId, sql.placeholder("programId")),
        eq(sales.isTest, false),
        eq(sales.id, sql.placeholder("id")),
      ),
    ),
);

export async function findCorrectableSale(database: Database, programId: ProgramId, id: SaleId) {
  return (await readBatch(database, { found: byId({ programId, id }) })).found;
}
