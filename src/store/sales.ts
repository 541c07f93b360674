import { and, asc, eq, getTableColumns, isNotNull, lte, min, type SQL, sql } from "drizzle-orm";
import { commissions, ledgerEntries, refunds, sales } from "./schema.ts";
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

/** A customer's sales, the earliest first. */
export const salesOfCustomer = lookUp(["customerId"], (db, wanted, key) =>
  db
    .select({ sale: sales, commission: commissions })
    .from(wanted)
    .crossJoin(sales)
    .innerJoin(commissions, eq(commissions.saleId, sales.id))
    .where(eq(sales.customerId, key.customerId))
    .orderBy(asc(sales.occurredAt), asc(sales.id)),
);

/** The refunds of a customer's sales, in the order they were recorded. */
export const refundsOfCustomer = lookUp(["customerId"], (db, wanted, key) =>
  db
    .select(getTableColumns(refunds))
    .from(wanted)
    .crossJoin(sales)
    .innerJoin(refunds, eq(refunds.saleId, sales.id))
    .where(eq(sales.customerId, key.customerId))
    .orderBy(asc(refunds.id)),
);

export const insertSale = insert<SaleRow>((db) => db.insert(sales).values(everyColumn(sales)));
export const insertCommission = insert<CommissionRow>((db) => db.insert(commissions).values(everyColumn(commissions)));
export const insertEntry = insert<EntryRow>((db) => db.insert(ledgerEntries).values(everyColumn(ledgerEntries)));
export const insertRefund = insert<RefundRow>((db) => db.insert(refunds).values(everyColumn(refunds)));

/** Gives a sale the attribution that it was recorded without. */
export const attributeSale = write<SaleRow>((db) =>
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
export const attributeCommission = write<CommissionRow>((db) =>
  db
    .update(commissions)
    .set({
      partnerId: param("partnerId"),
      status: param("status"),
      reason: param("reason"),
      isUnconfirmed: param("isUnconfirmed"),
      initialCents: param("initialCents"),
      holdUntil: param("holdUntil"),
      policyId: param("policyId"),
      explanation: param("explanation"),
    })
    .where(eq(commissions.id, sql.placeholder("id"))),
);

/** The same for a refund, with what it reverses now. */
export const attributeRefund = write<RefundRow>((db) =>
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

export const setRefunded = write<{ id: number; refundedCents: number }>((db) =>
  db
    .update(sales)
    .set({ refundedCents: param("refundedCents") })
    .where(eq(sales.id, sql.placeholder("id"))),
);

export const setCommissionStatus = write<{ id: number; status: string }>((db) =>
  db
    .update(commissions)
    .set({ status: param("status") })
    .where(eq(commissions.id, sql.placeholder("id"))),
);

/** Keyed evidence has come: the commissions of the customer's sales no longer wait for it. */
export const confirmCommissions = write<{ customerId: number }>((db) =>
  db
    .update(commissions)
    .set({ isUnconfirmed: sql`0` })
    .where(
      and(
        eq(commissions.isUnconfirmed, sql`1`),
        sql`${commissions.saleId} in (select id from sales where customer_id = ${sql.placeholder("customerId")})`,
      ),
    ),
);

const isMaturing = () =>
  and(sql`${commissions.status} = 'pending' and ${commissions.isUnconfirmed} = 0`, isNotNull(commissions.holdUntil));

/** Approves commissions whose hold is over, at most `limit` of them, and returns the ids. */
export const matureCommissions = write<{ at: number; limit: number }>((db) =>
  db
    .update(commissions)
    .set({ status: "approved" })
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
