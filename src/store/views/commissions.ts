import { and, eq, sql } from "drizzle-orm";
import type { CommissionId, ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "../database.ts";
import { payoutHolding, shownAs } from "../payout-ranges.ts";
import { isReplacedSale } from "../sales.ts";
import { commissions } from "../schema/commissions.ts";
import { customers } from "../schema/customers.ts";
import { partners } from "../schema/partners.ts";
import { payoutLines, payouts } from "../schema/payouts.ts";
import { commissionPolicies } from "../schema/policies.ts";
import { sales } from "../schema/sales.ts";
import { isHeld, liveReviews, reviewSince } from "../signals.ts";
import { type Compiler, given, type RowOf, readAll, readFirst } from "../statement.ts";

/** True if the payout line that contains the commission is paid. */
const isPaid = sql`iif(${payouts.settledBy} = 'api', ${payoutLines.settledAt} is not null, ${payouts.status} = 'paid')`;

export const selectCommissions = (db: Compiler) =>
  db
    .select({
      id: commissions.id,
      saleId: commissions.saleId,
      transactionId: sales.transactionId,
      customerKey: customers.customerKey,
      saleDate: sales.day,
      soldAt: sales.occurredAt,
      saleAmountCents: sales.amountCents,
      saleRefundedCents: sales.refundedCents,
      saleCurrency: sales.currency,
      corrected: sql<boolean>`${isReplacedSale}`.mapWith(Boolean),
      isCorrection: sql<boolean>`${sales.correctedSaleId} is not null`.mapWith(Boolean),
      partnerId: commissions.partnerId,
      partnerCode: sales.partnerCode,
      partnerName: partners.name,
      source: commissions.source,
      sub: commissions.sub,
      status: shownAs(commissions.status, sql`iif(${payouts.id} is null, null, iif(${isPaid}, 'paid', 'final'))`),
      reason: commissions.reason,
      unconfirmed: commissions.isUnconfirmed,
      held: isHeld,
      heldAt: commissions.heldAt,
      reviewUntil: commissions.reviewUntil,
      reviews: liveReviews,
      reviewSince,
      rateBps: commissionPolicies.rateBps,
      initialCents: commissions.initialCents,
      amountCents: commissions.amountCents,
      currency: commissions.currency,
      holdUntil: commissions.holdUntil,
      approvedAt: commissions.approvedAt,
      approvedBy: commissions.approvedBy,
      createdAt: commissions.createdAt,
      explanation: commissions.explanation,
      /** `paidAt` and `payoutReference` belong to the payout that paid the commission. Null if it isn't paid. */
      paidAt: sql<number | null>`iif(${isPaid}, coalesce(${payoutLines.settledAt}, ${payouts.paidAt}), null)`,
      payoutReference: sql<string | null>`iif(${isPaid}, ${payouts.reference}, null)`,
      /** True if the commission is in a payout line that isn't paid yet. */
      inPayout: sql<boolean>`${payouts.id} is not null and not ${isPaid}`.mapWith(Boolean),
    })
    .from(commissions)
    .innerJoin(sales, eq(sales.id, commissions.saleId))
    .leftJoin(payouts, eq(payouts.id, payoutHolding()))
    .leftJoin(payoutLines, and(eq(payoutLines.payoutId, payouts.id), eq(payoutLines.partnerId, commissions.partnerId)))
    .leftJoin(customers, eq(customers.id, sales.customerId))
    .leftJoin(partners, eq(partners.id, commissions.partnerId))
    .leftJoin(commissionPolicies, eq(commissionPolicies.id, commissions.policyId));

export type CommissionView = RowOf<typeof selectCommissions>;

const byId = readFirst<{ programId: ProgramId; id: CommissionId }, CommissionView>((db) =>
  selectCommissions(db).where(
    and(eq(commissions.programId, given("programId")), eq(commissions.isTest, false), eq(commissions.id, given("id"))),
  ),
);

const byIds = readAll<{ programId: ProgramId; ids: string }, CommissionView>((db) =>
  selectCommissions(db).where(
    and(
      eq(commissions.programId, given("programId")),
      eq(commissions.isTest, false),
      sql`${commissions.id} in (select value from json_each(${given("ids")}))`,
    ),
  ),
);

/** Returns the program's live commissions with these ids, in any order. */
export async function findCommissions(
  database: Database,
  programId: ProgramId,
  ids: readonly CommissionId[],
): Promise<readonly CommissionView[]> {
  return await readOne(database, byIds({ programId, ids: JSON.stringify(ids) }));
}

export async function findCommission(
  database: Database,
  programId: ProgramId,
  id: CommissionId,
): Promise<CommissionView | undefined> {
  return await readOne(database, byId({ programId, id }));
}
