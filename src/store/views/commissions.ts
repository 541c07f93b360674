import { and, eq, sql } from "drizzle-orm";
import type { ShownStatus } from "../../domain/commission-status.ts";
import { type Database, readBatch } from "../database.ts";
import { payoutHolding, shownAs } from "../payout-ranges.ts";
import { commissions } from "../schema/commissions.ts";
import { customers } from "../schema/customers.ts";
import { partners } from "../schema/partners.ts";
import { payouts } from "../schema/payouts.ts";
import { commissionPolicies } from "../schema/policies.ts";
import { sales } from "../schema/sales.ts";
import { type Compiler, readFirst } from "../statement.ts";

export interface CommissionView {
  readonly id: number;
  readonly saleId: number;
  readonly transactionId: string;
  readonly customerKey: string | null;
  readonly saleDay: string;
  readonly soldAt: number;
  readonly saleCents: number;
  readonly refundedCents: number;
  readonly partnerId: number | null;
  readonly partnerCode: string | null;
  readonly partnerName: string | null;
  readonly status: ShownStatus;
  readonly reason: string | null;
  readonly isUnconfirmed: boolean;
  readonly rateBps: number | null;
  readonly initialCents: number;
  readonly amountCents: number;
  readonly currency: string;
  readonly holdUntil: number | null;
  readonly approvedAt: number | null;
  readonly createdAt: number;
  readonly explanation: string;
  readonly paidAt: number | null;
  /** Of the payout that paid it. */
  readonly payoutReference: string | null;
  /** Held by a payout that isn't paid yet. */
  readonly isInPayout: boolean;
}

const isPaid = sql`${payouts.status} = 'paid'`;

export const selectCommissions = (db: Compiler) =>
  db
    .select({
      id: commissions.id,
      saleId: commissions.saleId,
      transactionId: sales.transactionId,
      customerKey: customers.customerKey,
      saleDay: sales.day,
      soldAt: sales.occurredAt,
      saleCents: sales.amountCents,
      refundedCents: sales.refundedCents,
      partnerId: commissions.partnerId,
      partnerCode: sales.partnerCode,
      partnerName: partners.name,
      status: shownAs(commissions.status, payouts.status),
      reason: commissions.reason,
      isUnconfirmed: commissions.isUnconfirmed,
      rateBps: commissionPolicies.rateBps,
      initialCents: commissions.initialCents,
      amountCents: commissions.amountCents,
      currency: commissions.currency,
      holdUntil: commissions.holdUntil,
      approvedAt: commissions.approvedAt,
      createdAt: commissions.createdAt,
      explanation: commissions.explanation,
      paidAt: sql<number | null>`iif(${isPaid}, ${payouts.paidAt}, null)`,
      payoutReference: sql<string | null>`iif(${isPaid}, ${payouts.reference}, null)`,
      isInPayout: sql<boolean>`coalesce(${payouts.status} = 'final', 0)`.mapWith(Boolean),
    })
    .from(commissions)
    .innerJoin(sales, eq(sales.id, commissions.saleId))
    .leftJoin(payouts, eq(payouts.id, payoutHolding()))
    .leftJoin(customers, eq(customers.id, sales.customerId))
    .leftJoin(partners, eq(partners.id, commissions.partnerId))
    .leftJoin(commissionPolicies, eq(commissionPolicies.id, commissions.policyId));

const byId = readFirst<{ programId: number; id: number }, CommissionView>((db) =>
  selectCommissions(db).where(
    and(
      eq(commissions.programId, sql.placeholder("programId")),
      eq(commissions.isTest, false),
      eq(commissions.id, sql.placeholder("id")),
    ),
  ),
);

export async function findCommission(
  database: Database,
  programId: number,
  id: number,
): Promise<CommissionView | undefined> {
  return (await readBatch(database, { found: byId({ programId, id }) })).found;
}
