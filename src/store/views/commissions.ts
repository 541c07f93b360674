import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { CommissionStatus } from "../../domain/commission-status.ts";
import { type Database, readBatch } from "../database.ts";
import { commissions } from "../schema/commissions.ts";
import { customers } from "../schema/customers.ts";
import { sales } from "../schema/sales.ts";
import { type Compiler, param, readAll, readFirst } from "../statement.ts";

export interface CommissionView {
  readonly id: number;
  readonly saleId: number;
  readonly transactionId: string;
  readonly customerKey: string | null;
  readonly partnerId: number | null;
  readonly partnerCode: string | null;
  readonly status: CommissionStatus;
  readonly isUnconfirmed: boolean;
  readonly amountCents: number;
  readonly currency: string;
  readonly holdUntil: number | null;
  readonly createdAt: number;
  readonly explanation: string;
}

export interface CommissionFilter {
  /** Absent: all but `void`. */
  readonly status: CommissionStatus | undefined;
  readonly partnerId: number | undefined;
}

const given = sql.placeholder;

const selectCommissions = (db: Compiler) =>
  db
    .select({
      id: commissions.id,
      saleId: commissions.saleId,
      transactionId: sales.transactionId,
      customerKey: customers.customerKey,
      partnerId: commissions.partnerId,
      partnerCode: sales.partnerCode,
      status: commissions.status,
      isUnconfirmed: commissions.isUnconfirmed,
      amountCents: commissions.amountCents,
      currency: commissions.currency,
      holdUntil: commissions.holdUntil,
      createdAt: commissions.createdAt,
      explanation: commissions.explanation,
    })
    .from(commissions)
    .innerJoin(sales, eq(sales.id, commissions.saleId))
    .leftJoin(customers, eq(customers.id, sales.customerId));

const isLive = and(eq(commissions.programId, given("programId")), eq(commissions.isTest, false));

type Page = {
  programId: number;
  status: string | null;
  partnerId: number | null;
  before: number;
  limit: number;
};

const page = readAll<Page, CommissionView>((db) => {
  const status = sql`iif(${param("status")} is null, ${commissions.status} <> 'void', ${commissions.status} = ${param("status")})`;
  const partner = sql`(${param("partnerId")} is null or ${commissions.partnerId} = ${param("partnerId")})`;
  return selectCommissions(db)
    .where(and(isLive, lt(commissions.id, given("before")), status, partner))
    .orderBy(desc(commissions.id))
    .limit(given("limit"));
});

const byId = readFirst<{ programId: number; id: number }, CommissionView>((db) =>
  selectCommissions(db).where(and(isLive, eq(commissions.id, given("id")))),
);

export async function listCommissions(
  database: Database,
  programId: number,
  { status = null, partnerId = null }: { readonly [Name in keyof CommissionFilter]: CommissionFilter[Name] | null },
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<readonly CommissionView[]> {
  return (await readBatch(database, { found: page({ programId, status, partnerId, before, limit }) })).found;
}

export async function findCommission(
  database: Database,
  programId: number,
  id: number,
): Promise<CommissionView | undefined> {
  return (await readBatch(database, { found: byId({ programId, id }) })).found;
}
