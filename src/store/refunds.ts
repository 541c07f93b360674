import { and, getTableColumns, sql } from "drizzle-orm";
import { byTransaction, hasTransaction } from "./sales.ts";
import { refunds } from "./schema/refunds.ts";
import { sales } from "./schema/sales.ts";
import { everyColumn, insert, lookUp, lookUpFirst, update } from "./statement.ts";

export type RefundRow = typeof refunds.$inferSelect;

const priorColumns = [
  "id",
  "operationId",
  "refundId",
  "asked",
  "toldCents",
  "chargeTotalCents",
  "toldAt",
  "refundedCents",
  "countedCents",
  "outcomeReason",
  "createdAt",
] as const satisfies readonly (keyof RefundRow)[];

export type PriorRefund = Pick<RefundRow, (typeof priorColumns)[number]>;

// Thousands of rows as one value: each value of a row by itself costs ten times as much.
const prior = sql`(
  select json_group_array(json_array(${sql.raw(priorColumns.map((name) => refunds[name].name).join(", "))}))
  from (select * from ${refunds} r where r.sale_id = ${sales.id} order by r.id)
)`.mapWith((json: string): readonly PriorRefund[] => (JSON.parse(json) as readonly unknown[][]).map(priorRefund));

const priorRefund = (row: readonly unknown[]): PriorRefund =>
  Object.fromEntries(priorColumns.map((name, i) => [name, row[i]])) as PriorRefund;

export const priorRefunds = lookUpFirst(byTransaction, (db, wanted, key) =>
  db.select({ prior }).from(wanted).crossJoin(sales).where(hasTransaction(key)),
);

/** The refund calls of a sale with the operation id, and the first with the refund id. */
export const matchingRefunds = lookUp([...byTransaction, "operationId", "refundId"], (db, wanted, key) =>
  db
    .select(getTableColumns(refunds))
    .from(wanted)
    .crossJoin(sales)
    .crossJoin(refunds)
    .where(
      and(
        hasTransaction(key),
        sql`${refunds.id} in (
          select r.id from ${refunds} r where r.sale_id = ${sales.id} and r.operation_id = ${key.operationId}
          union all select min(r.id) from ${refunds} r where r.sale_id = ${sales.id} and r.refund_id = ${key.refundId}
        )`,
      ),
    ),
);

export const insertRefund = insert<RefundRow>((db) => db.insert(refunds).values(everyColumn(refunds)));

export const setCountedCents = update(refunds, { id: refunds.id }, { countedCents: refunds.countedCents });

export const attributeRefund = update(
  refunds,
  { id: refunds.id },
  {
    partnerId: refunds.partnerId,
    status: refunds.status,
    commissionReversedCents: refunds.commissionReversedCents,
    commissionAmountCents: refunds.commissionAmountCents,
  },
);

/** Keeps the amount that each refund reversed. */
export const moveRefunds = update(refunds, { saleId: refunds.saleId }, { partnerId: refunds.partnerId });
