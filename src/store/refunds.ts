import { and, getTableColumns, sql } from "drizzle-orm";
import { bySale, isTheSale } from "./sales.ts";
import { refunds } from "./schema/refunds.ts";
import { sales } from "./schema/sales.ts";
import { everyColumn, insert, lookUp, lookUpFirst, update } from "./statement.ts";

export type RefundRow = typeof refunds.$inferSelect;

const toldColumns = [
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

/** What of a recorded refund call decides over the next one. */
export type ToldRefund = Pick<RefundRow, (typeof toldColumns)[number]>;

// Thousands of rows as one value: each value of a row by itself costs ten times as much.
const told = sql`(
  select json_group_array(json_array(${sql.raw(toldColumns.map((name) => refunds[name].name).join(", "))}))
  from (select * from ${refunds} r where r.sale_id = ${sales.id} order by r.id)
)`.mapWith((json: string): readonly ToldRefund[] => (JSON.parse(json) as readonly unknown[][]).map(toldRefund));

const toldRefund = (row: readonly unknown[]): ToldRefund =>
  Object.fromEntries(toldColumns.map((name, i) => [name, row[i]])) as ToldRefund;

/** All refund calls of a sale, in the order they were recorded. */
export const toldRefunds = lookUpFirst(bySale, (db, wanted, key) =>
  db.select({ told }).from(wanted).crossJoin(sales).where(isTheSale(key)),
);

/** Whole, of a sale's refund calls: that of an operation, and the first of a refund. */
export const answeredRefunds = lookUp([...bySale, "operationId", "refundId"], (db, wanted, key) =>
  db
    .select(getTableColumns(refunds))
    .from(wanted)
    .crossJoin(sales)
    .crossJoin(refunds)
    .where(
      and(
        isTheSale(key),
        sql`${refunds.id} in (
          select r.id from ${refunds} r where r.sale_id = ${sales.id} and r.operation_id = ${key.operationId}
          union all select min(r.id) from ${refunds} r where r.sale_id = ${sales.id} and r.refund_id = ${key.refundId}
        )`,
      ),
    ),
);

export const insertRefund = insert<RefundRow>((db) => db.insert(refunds).values(everyColumn(refunds)));

/** What a refund call adds to what is refunded of its sale now. */
export const setCounted = update(refunds, { id: refunds.id }, { countedCents: refunds.countedCents });

/** Gives a refund its sale's attribution, with what it reverses of a commission that is earned only now. */
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

/** Gives all refunds of a sale its partner; what each reversed stays as it was. */
export const moveRefunds = update(refunds, { saleId: refunds.saleId }, { partnerId: refunds.partnerId });
