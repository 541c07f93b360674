import { eq, sql } from "drizzle-orm";
import { byTransaction, isNewestOf } from "./sales.ts";
import { refunds } from "./schema/refunds.ts";
import { sales } from "./schema/sales.ts";
import { change, everyColumn, insert, lookUpFirst, update } from "./statement.ts";

export type RefundRow = typeof refunds.$inferSelect;

/**
 * True if the refund belongs to a correction. To correct a sale, a member's request refunds the rest of the sale and
 * records a new one.
 */
export const isOfCorrection = sql<boolean>`exists (
  select 1 from sales s join sales k on k.corrected_sale_id = coalesce(s.corrected_sale_id, s.id)
  where s.id = ${refunds.saleId} and ${refunds.refundId} = 'correction-' || k.correction)`.mapWith(Boolean);

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
  "status",
  "outcomeReason",
  "refundedTotalCents",
  "commissionReversedCents",
  "commissionAmountCents",
  "createdAt",
] as const satisfies readonly (keyof RefundRow)[];

export type PriorRefund = Pick<RefundRow, (typeof priorColumns)[number]>;

// Packs up to thousands of rows into one JSON value, because separate values would cost ten times as much.
const prior = sql<readonly PriorRefund[]>`(
  select json_group_array(json_array(${sql.raw(priorColumns.map((name) => refunds[name].name).join(", "))}))
  from (select * from ${refunds} r where r.sale_id = ${sales.id} order by r.id)
)`;

const decodePrior = (json: string): readonly PriorRefund[] =>
  (JSON.parse(json) as readonly unknown[][]).map(priorRefund);

const priorRefund = (row: readonly unknown[]): PriorRefund =>
  Object.fromEntries(priorColumns.map((name, i) => [name, row[i]])) as PriorRefund;

const countOfPrior = sql<number>`(select count(*) from ${refunds} r where r.sale_id = ${sales.id})`;

/** If a sale has more refunds than this, they are read separately. That is rare. */
const fewRefunds = 20;

/** `prior` is null if the sale has more refunds than `fewRefunds`. Then use `allPriorRefunds`. */
export const fewPriorRefunds = lookUpFirst(byTransaction, (db, wanted, key) =>
  db
    .select({
      count: countOfPrior,
      prior: sql<
        readonly PriorRefund[] | null
      >`iif(${countOfPrior} > ${sql.raw(String(fewRefunds))}, null, ${prior})`.mapWith(decodePrior),
    })
    .from(wanted)
    .crossJoin(sales)
    .where(isNewestOf(key)),
);

export const allPriorRefunds = lookUpFirst(byTransaction, (db, wanted, key) =>
  db
    .select({ count: countOfPrior, prior: prior.mapWith(decodePrior) })
    .from(wanted)
    .crossJoin(sales)
    .where(isNewestOf(key)),
);

export const insertRefund = insert<RefundRow>((db) => db.insert(refunds).values(everyColumn(refunds)));

/** Copies the reason from one refund to another within the database, because decisions don't read long texts. */
export const copyReason = change(["from", "to"], (db, wanted, { from, to }) =>
  db
    .update(refunds)
    .set({ reason: sql`(select o.reason from ${refunds} o where o.id = ${from})` })
    .from(wanted)
    .where(eq(refunds.id, to)),
);

export const setCountedCents = update(refunds, ["id"], ["countedCents"]);

export const attributeRefund = update(
  refunds,
  ["id"],
  ["partnerId", "status", "commissionReversedCents", "commissionAmountCents"],
);

/**
 * Used if a commission moves to another partner. Changes only the refunds' partner: the amounts that they reversed
 * stay.
 */
export const moveRefunds = update(refunds, ["saleId"], ["partnerId"]);
