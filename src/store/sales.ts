import { and, asc, eq, getTableColumns, inArray, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import { byMention, customersByKeyOrClicks } from "./customers.ts";
import { commissions, ledgerEntries } from "./schema/commissions.ts";
import { customers } from "./schema/customers.ts";
import { leads } from "./schema/leads.ts";
import { refunds } from "./schema/refunds.ts";
import { sales } from "./schema/sales.ts";
import { everyColumn, insert, lookUp, lookUpFirst, param, readFirst, update, write } from "./statement.ts";

export type SaleRow = typeof sales.$inferSelect;
export type CommissionRow = typeof commissions.$inferSelect;
export type EntryRow = typeof ledgerEntries.$inferSelect;

const { lineItems: _items, ...saleColumns } = getTableColumns(sales);
const { explanation: _explanation, ...commissionColumns } = getTableColumns(commissions);

/** A sale with its commission, without what is long and decides nothing. */
export interface RecordedSale {
  readonly sale: Omit<SaleRow, "lineItems">;
  readonly commission: Omit<CommissionRow, "explanation">;
}

export const bySale = ["programId", "isTest", "transactionId"] as const;

export const isTheSale = (key: Readonly<Record<(typeof bySale)[number], SQL>>) =>
  and(eq(sales.programId, key.programId), eq(sales.isTest, key.isTest), eq(sales.transactionId, key.transactionId));

export const saleByTransaction = lookUpFirst<(typeof bySale)[number], RecordedSale>(bySale, (db, wanted, key) =>
  db
    .select({ sale: saleColumns, commission: commissionColumns })
    .from(wanted)
    .crossJoin(sales)
    .innerJoin(commissions, eq(commissions.saleId, sales.id))
    .where(isTheSale(key)),
);

const afterKey = ["customerId", "afterOccurredAt", "afterSaleId"] as const;
type AfterKey = Readonly<Record<(typeof afterKey)[number], SQL>>;

/** How many sales, with how many refunds, follow their customer at a time. */
export const maxSalesAtOnce = 100;
export const maxRefundsAtOnce = 1_000;

/** The next of a customer's sales from a point on, in the order of time, of those that `which` lets through. */
const next = (key: AfterKey, most: number, which = sql`1 = 1`): SQL => sql`(
  select s.id from ${sales} s where s.customer_id = ${key.customerId}
    and (s.occurred_at, s.id) > (${key.afterOccurredAt}, ${key.afterSaleId}) and ${which}
  order by s.occurred_at, s.id limit ${sql.raw(String(most))}
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

/** What of a refund decides over following its sale. */
const followingRefundColumns = {
  id: refunds.id,
  saleId: refunds.saleId,
  status: refunds.status,
  refundedCents: refunds.refundedCents,
  countedCents: refunds.countedCents,
  occurredAt: refunds.occurredAt,
  day: refunds.day,
};

/** A sale that has yet to follow its customer, as far as it tells whether a `one_time` policy could pay it. */
export type WaitingSale = Pick<SaleRow, "partnerId" | "amountCents" | "currency" | "occurredAt">;

const maxWaiting = 1_000;

/** Looks at a customer's sales from a point on, so many at a time. */
const following = (mostSales: number, mostRefunds: number) => ({
  /** The earliest first; one more than follow at once, where there are more. */
  sales: lookUp(afterKey, (db, wanted, key) =>
    db
      .select(followingColumns)
      .from(wanted)
      .crossJoin(sales)
      .innerJoin(commissions, eq(commissions.saleId, sales.id))
      .where(inArray(sales.id, next(key, mostSales + 1)))
      .orderBy(asc(sales.occurredAt), asc(sales.id)),
  ),
  /** Those of the earliest sales, in the order they were recorded; one more than follow at once, where there are more. */
  refunds: lookUp(afterKey, (db, wanted, key) =>
    db
      .select(followingRefundColumns)
      .from(wanted)
      .crossJoin(refunds)
      .where(
        inArray(
          refunds.id,
          sql`(
            select r.id from ${sales} s join ${refunds} r on r.sale_id = s.id where s.id in ${next(key, mostSales)}
            order by s.occurred_at, s.id limit ${sql.raw(String(mostRefunds + 1))}
          )`,
        ),
      )
      .orderBy(asc(refunds.id)),
  ),
  /** The sales behind them that are no renewals and not wholly refunded, the earliest of them. */
  behind: lookUp<(typeof afterKey)[number], WaitingSale>(afterKey, (db, wanted, key) =>
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
          next(
            key,
            maxWaiting,
            sql`not s.is_recurring and s.refunded_cents < s.amount_cents and s.id not in ${next(key, mostSales)}`,
          ),
        ),
      ),
  ),
});

export const nextSales = following(maxSalesAtOnce, maxRefundsAtOnce);
/** A sale by itself, for one with more refunds than follow at once. */
export const nextSaleAlone = following(1, Number.MAX_SAFE_INTEGER - 1);

type Decoded<Look extends (values: never) => { decode(rows: never): readonly unknown[] }> = ReturnType<
  ReturnType<Look>["decode"]
>[number];
export type FollowingSale = Decoded<typeof nextSales.sales>;
export type FollowingRefund = Decoded<typeof nextSales.refunds>;

/**
 * The sales that a lead attributed when it was recorded, or a call did at `at` (ms): of those told before, which follow at
 * once.
 */
export const salesAttributedByLead = lookUp([...byMention, "at"], (db, wanted, key) => {
  const decidedAt = sql`(${commissions.explanation} ->> '$.decidedAt')`;
  return db
    .select({ customerId: leads.customerId, saleId: sales.id, commissionId: commissions.id })
    .from(wanted)
    .crossJoin(leads)
    .crossJoin(sales)
    .innerJoin(commissions, eq(commissions.saleId, sales.id))
    .where(
      and(
        inArray(leads.customerId, customersByKeyOrClicks(key)),
        sql`${sales.id} in (
          select s.id from ${sales} s where s.customer_id = ${leads.customerId}
          order by s.occurred_at, s.id limit ${sql.raw(String(maxSalesAtOnce))}
        )`,
        isNotNull(sales.partnerId),
        sql`${sales.createdAt} < ${decidedAt} and ${decidedAt} in (${leads.createdAt}, ${key.at})`,
      ),
    )
    .orderBy(asc(sales.occurredAt), asc(sales.id));
});

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

/** Gives a sale its customer's attribution. */
export const attributeSale = update(
  sales,
  { id: sales.id },
  {
    partnerId: sales.partnerId,
    partnerCode: sales.partnerCode,
    reason: sales.reason,
    clickAgeDays: sales.clickAgeDays,
    windowDays: sales.windowDays,
  },
);

/** The same for its commission; what it comes to is left to its entries. */
export const attributeCommission = update(
  commissions,
  { id: commissions.id },
  {
    partnerId: commissions.partnerId,
    status: commissions.status,
    reason: commissions.reason,
    isUnconfirmed: commissions.isUnconfirmed,
    approvedAt: commissions.approvedAt,
    approvedBy: commissions.approvedBy,
    initialCents: commissions.initialCents,
    holdUntil: commissions.holdUntil,
    policyId: commissions.policyId,
    explanation: commissions.explanation,
  },
);

export const setRefunded = write<{ id: number; refundedCents: number }>((db) =>
  db
    .update(sales)
    .set({ refundedCents: param("refundedCents") })
    .where(eq(sales.id, sql.placeholder("id"))),
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

/** Approves commissions whose hold is over, the oldest first, at most `limit` of them; not the first `skip`. */
export const matureCommissions = write<{ at: number; limit: number; skip: number }>((db) =>
  db
    .update(commissions)
    .set({ status: "approved", approvedAt: sql`${sql.placeholder("at")}`, approvedBy: "hold" })
    .where(
      sql`${commissions.id} in ${db
        .select({ id: commissions.id })
        .from(commissions)
        .where(and(isMaturing(), lte(commissions.holdUntil, sql.placeholder("at"))))
        .orderBy(asc(commissions.holdUntil))
        .limit(sql.placeholder("limit"))
        .offset(sql.placeholder("skip"))}`,
    ),
);

/** When the next hold ends, or has ended, but for the first `skip`. */
export const nextMaturing = readFirst<{ skip: number }, { at: number | null }>((db) =>
  db
    .select({ at: commissions.holdUntil })
    .from(commissions)
    .where(isMaturing())
    .orderBy(asc(commissions.holdUntil))
    .limit(1)
    .offset(sql.placeholder("skip")),
);
