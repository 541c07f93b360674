import { and, asc, eq, getTableColumns, inArray, isNotNull, lte, min, type SQL, sql } from "drizzle-orm";
import { commissions, customers, ledgerEntries, refunds, sales } from "./schema.ts";
import { everyColumn, insert, lookUp, lookUpFirst, param, readFirst, write } from "./statement.ts";

export type SaleRow = typeof sales.$inferSelect;
export type RefundRow = typeof refunds.$inferSelect;
export type CommissionRow = typeof commissions.$inferSelect;
export type EntryRow = typeof ledgerEntries.$inferSelect;

/** A sale with its commission. */
export interface RecordedSale {
  readonly sale: SaleRow;
  readonly commission: CommissionRow;
}

const bySale = ["programId", "isTest", "transactionId"] as const;

const isTheSale = (key: Readonly<Record<(typeof bySale)[number], SQL>>) =>
  and(eq(sales.programId, key.programId), eq(sales.isTest, key.isTest), eq(sales.transactionId, key.transactionId));

export const saleByTransaction = lookUpFirst(bySale, (db, wanted, key) =>
  db
    .select({ sale: sales, commission: commissions })
    .from(wanted)
    .crossJoin(sales)
    .innerJoin(commissions, eq(commissions.saleId, sales.id))
    .where(isTheSale(key)),
);

/** All refunds of a sale, in the order they were recorded. */
export const refundsOfSale = lookUp(bySale, (db, wanted, key) =>
  db
    .select(getTableColumns(refunds))
    .from(wanted)
    .crossJoin(sales)
    .innerJoin(refunds, eq(refunds.saleId, sales.id))
    .where(isTheSale(key))
    .orderBy(asc(refunds.id)),
);

const afterKey = ["customerId", "afterOccurredAt", "afterSaleId"] as const;

/** One more than are taken at a time: it tells that there are more. */
export const maxSalesAtOnce = 100;

/** The next of a customer's sales from a point on, in the order of time. */
const next = (key: Readonly<Record<(typeof afterKey)[number], SQL>>, limit = maxSalesAtOnce + 1): SQL => sql`(
  select s.id from ${sales} s where s.customer_id = ${key.customerId}
    and (s.occurred_at, s.id) > (${key.afterOccurredAt}, ${key.afterSaleId})
  order by s.occurred_at, s.id limit ${sql.raw(String(limit))}
)`;

/** What of a sale and its commission decides over following its customer; neither's free text, which can be long. */
const followingColumns = {
  sale: {
    id: sales.id,
    programId: sales.programId,
    isTest: sales.isTest,
    transactionId: sales.transactionId,
    amountCents: sales.amountCents,
    currency: sales.currency,
    refundedCents: sales.refundedCents,
    isRecurring: sales.isRecurring,
    occurredAt: sales.occurredAt,
    day: sales.day,
    partnerId: sales.partnerId,
    partnerCode: sales.partnerCode,
  },
  commission: {
    id: commissions.id,
    partnerId: commissions.partnerId,
    status: commissions.status,
    isUnconfirmed: commissions.isUnconfirmed,
    amountCents: commissions.amountCents,
    currency: commissions.currency,
    holdUntil: commissions.holdUntil,
  },
};

/** A customer's sales from a point on, the earliest first: at most one more than `maxSalesAtOnce`. */
export const nextSalesOfCustomer = lookUp(afterKey, (db, wanted, key) =>
  db
    .select(followingColumns)
    .from(wanted)
    .crossJoin(sales)
    .innerJoin(commissions, eq(commissions.saleId, sales.id))
    .where(inArray(sales.id, next(key)))
    .orderBy(asc(sales.occurredAt), asc(sales.id)),
);
export type FollowingSale = ReturnType<ReturnType<typeof nextSalesOfCustomer>["decode"]>[number];

/** The refunds of those, in the order they were recorded. */
export const refundsOfNextSales = lookUp(afterKey, (db, wanted, key) =>
  db
    .select(getTableColumns(refunds))
    .from(wanted)
    .crossJoin(refunds)
    .where(inArray(refunds.saleId, next(key)))
    .orderBy(asc(refunds.id)),
);

/** A sale that has yet to follow its customer, as far as it tells whether a `one_time` policy could pay it. */
export type WaitingSale = Pick<SaleRow, "partnerId" | "amountCents" | "currency" | "occurredAt">;

const maxWaiting = 1_000;

/** The sales behind them that are no renewals and not wholly refunded, the earliest of them. */
export const salesBehindNext = lookUp<(typeof afterKey)[number], WaitingSale>(afterKey, (db, wanted, key) =>
  db
    .select({
      partnerId: sales.partnerId,
      amountCents: sales.amountCents,
      currency: sales.currency,
      occurredAt: sales.occurredAt,
    })
    .from(wanted)
    .crossJoin(sales)
    .where(
      inArray(
        sales.id,
        sql`(
          select s.id from ${sales} s where s.customer_id = ${key.customerId}
            and (s.occurred_at, s.id) > (${key.afterOccurredAt}, ${key.afterSaleId})
            and not s.is_recurring and s.refunded_cents < s.amount_cents
            and s.id not in ${next(key, maxSalesAtOnce)}
          order by s.occurred_at, s.id limit ${sql.raw(String(maxWaiting))}
        )`,
      ),
    ),
);

/** The customer of a sale, as far as refunds ask: which commission a `one_time` policy counts, and of whose. */
export const buyerOfSale = lookUpFirst(bySale, (db, wanted, key) =>
  db
    .select({
      id: customers.id,
      partnerId: customers.partnerId,
      oneTimeCommissionId: customers.oneTimeCommissionId,
    })
    .from(wanted)
    .crossJoin(sales)
    .innerJoin(customers, eq(customers.id, sales.customerId))
    .where(isTheSale(key)),
);

export const insertSale = insert<SaleRow>((db) => db.insert(sales).values(everyColumn(sales)));
export const insertCommission = insert<CommissionRow>((db) => db.insert(commissions).values(everyColumn(commissions)));
export const insertEntry = insert<EntryRow>((db) => db.insert(ledgerEntries).values(everyColumn(ledgerEntries)));
export const insertRefund = insert<RefundRow>((db) => db.insert(refunds).values(everyColumn(refunds)));

/** Gives a sale its customer's attribution. */
export const attributeSale = write<
  Pick<SaleRow, "id" | "partnerId" | "partnerCode" | "reason" | "clickAgeDays" | "windowDays">
>((db) =>
  db
    .update(sales)
    .set({
      partnerId: param("partnerId"),
      partnerCode: param("partnerCode"),
      reason: param("reason"),
      clickAgeDays: param("clickAgeDays"),
      windowDays: param("windowDays"),
    })
    .where(eq(sales.id, sql.placeholder("id"))),
);

/** The same for its commission; what it comes to is left to its entries. */
export const attributeCommission = write<
  Pick<
    CommissionRow,
    | "id"
    | "partnerId"
    | "status"
    | "reason"
    | "isUnconfirmed"
    | "approvedAt"
    | "approvedBy"
    | "initialCents"
    | "holdUntil"
    | "policyId"
    | "explanation"
  >
>((db) =>
  db
    .update(commissions)
    .set({
      partnerId: param("partnerId"),
      status: param("status"),
      reason: param("reason"),
      isUnconfirmed: param("isUnconfirmed"),
      approvedAt: param("approvedAt"),
      approvedBy: param("approvedBy"),
      initialCents: param("initialCents"),
      holdUntil: param("holdUntil"),
      policyId: param("policyId"),
      explanation: param("explanation"),
    })
    .where(eq(commissions.id, sql.placeholder("id"))),
);

/** The same for a refund, with what it reverses of a commission that is earned only now. */
export const attributeRefund = write<
  Pick<RefundRow, "id" | "partnerId" | "status" | "commissionReversedCents" | "commissionAmountCents">
>((db) =>
  db
    .update(refunds)
    .set({
      partnerId: param("partnerId"),
      status: param("status"),
      commissionReversedCents: param("commissionReversedCents"),
      commissionAmountCents: param("commissionAmountCents"),
    })
    .where(eq(refunds.id, sql.placeholder("id"))),
);

/** Gives all refunds of a sale its partner; what each reversed stays as it was. */
export const moveRefunds = write<{ saleId: number; partnerId: number }>((db) =>
  db
    .update(refunds)
    .set({ partnerId: param("partnerId") })
    .where(eq(refunds.saleId, sql.placeholder("saleId"))),
);

export const setRefunded = write<{ id: number; refundedCents: number }>((db) =>
  db
    .update(sales)
    .set({ refundedCents: param("refundedCents") })
    .where(eq(sales.id, sql.placeholder("id"))),
);

/** What a refund call adds to what is refunded of its sale now. */
export const setCounted = write<{ id: number; countedCents: number }>((db) =>
  db
    .update(refunds)
    .set({ countedCents: param("countedCents") })
    .where(eq(refunds.id, sql.placeholder("id"))),
);

export const setCommissionState = write<
  Pick<CommissionRow, "id" | "status" | "initialCents" | "isUnconfirmed" | "approvedAt" | "approvedBy">
>((db) =>
  db
    .update(commissions)
    .set({
      status: param("status"),
      initialCents: param("initialCents"),
      isUnconfirmed: param("isUnconfirmed"),
      approvedAt: param("approvedAt"),
      approvedBy: param("approvedBy"),
    })
    .where(eq(commissions.id, sql.placeholder("id"))),
);

/** Confirms commissions (a JSON array of ids) at an instant; those whose hold is over are approved. */
export const confirmCommissions = write<{ ids: string; at: number }>((db) => {
  const isDue = sql`${commissions.status} = 'pending' and ${commissions.holdUntil} <= ${sql.placeholder("at")}`;
  return db
    .update(commissions)
    .set({
      isUnconfirmed: sql`0`,
      status: sql`iif(${isDue}, 'approved', ${commissions.status})`,
      approvedAt: sql`iif(${isDue}, ${sql.placeholder("at")}, ${commissions.approvedAt})`,
      approvedBy: sql`iif(${isDue}, 'hold', ${commissions.approvedBy})`,
    })
    .where(sql`${commissions.id} in (select value from json_each(${sql.placeholder("ids")}))`);
});

export const isMaturing = () =>
  and(sql`${commissions.status} = 'pending' and ${commissions.isUnconfirmed} = 0`, isNotNull(commissions.holdUntil));

/** Approves commissions whose hold is over, at most `limit` of them, and returns the ids. */
export const matureCommissions = write<{ at: number; limit: number }>((db) =>
  db
    .update(commissions)
    .set({ status: "approved", approvedAt: sql`${sql.placeholder("at")}`, approvedBy: "hold" })
    .where(
      sql`${commissions.id} in ${db
        .select({ id: commissions.id })
        .from(commissions)
        .where(and(isMaturing(), lte(commissions.holdUntil, sql.placeholder("at"))))
        .orderBy(asc(commissions.holdUntil))
        .limit(sql.placeholder("limit"))}`,
    ),
);

/** When the next hold ends. */
export const nextMaturing = readFirst<Record<string, never>, { at: number | null }>((db) =>
  db
    .select({ at: min(commissions.holdUntil) })
    .from(commissions)
    .where(isMaturing()),
);
