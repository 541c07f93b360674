import type { UnattributedReason } from "../domain/attribution.ts";
import type { Book } from "../domain/book.ts";
import { dayIn } from "../domain/calendar.ts";
import { bornStatus, type Earning, earning, policyInForce, type VoidReason } from "../domain/commission.ts";
import type { CommissionRow, EntryRow, SaleRow } from "../store/sales.ts";
import type { Program } from "../store/settings.ts";

/** Whom a sale is owed to, and by what. */
export interface Credit {
  readonly partnerId: number;
  readonly partnerCode: string;
  readonly isPartnerActive: boolean;
  readonly clickId: string;
  readonly clickAt: number;
  readonly clickAgeDays: number;
  readonly evidence: "key" | "browser";
  readonly model: "last_click" | "first_click";
  readonly windowDays: number;
}

/** Why a sale is owed to nobody. */
export interface NoCredit {
  readonly reason: UnattributedReason;
  /** Whole days; where a window had passed. */
  readonly clickAgeDays?: number | undefined;
  readonly windowDays?: number | undefined;
}

export const isCredit = (credit: Credit | NoCredit): credit is Credit => "partnerId" in credit;

/** The columns of a sale that say whose it is. */
export const attributionColumns = (credit: Credit | NoCredit) =>
  isCredit(credit)
    ? {
        partnerId: credit.partnerId,
        partnerCode: credit.partnerCode,
        reason: null,
        clickAgeDays: credit.clickAgeDays,
        windowDays: credit.windowDays,
      }
    : {
        partnerId: null,
        partnerCode: null,
        reason: credit.reason,
        clickAgeDays: credit.clickAgeDays ?? null,
        windowDays: credit.windowDays ?? null,
      };

export type SoldFor = Pick<SaleRow, "transactionId" | "amountCents" | "currency" | "occurredAt">;

/** What a commission record says of itself, apart from what its ledger entries come to. */
export type CommissionTerms = Omit<
  CommissionRow,
  "id" | "saleId" | "programId" | "isTest" | "amountCents" | "createdAt"
>;

/**
 * The commission of a sale: what is due to whom, or why nothing. Everything that it rests on is frozen in its
 * explanation, so that reading it later needs no other row. `firstAttributedSaleAt` is the customer's earlier one.
 */
export function commissionTerms(
  sale: SoldFor,
  credit: Credit | NoCredit,
  program: Program,
  firstAttributedSaleAt: number | undefined,
  at: number,
): CommissionTerms {
  if (!isCredit(credit)) return voided(sale, credit, null, credit.reason, at);
  const policy = policyInForce(program.policies, credit.partnerId, sale.occurredAt);
  const earned = earning(policy, {
    amountCents: sale.amountCents,
    currency: sale.currency,
    occurredAt: sale.occurredAt,
    firstAttributedSaleAt,
    partnerActive: credit.isPartnerActive,
    programActive: program.status === "active",
  });
  if (!earned.due) return voided(sale, credit, earned.policy ?? null, earned.reason, at);
  const isUnconfirmed = credit.evidence === "browser";
  return {
    partnerId: credit.partnerId,
    status: bornStatus(earned.holdUntil, at, isUnconfirmed),
    reason: null,
    isUnconfirmed,
    initialCents: earned.amountCents,
    currency: sale.currency,
    holdUntil: earned.holdUntil,
    policyId: earned.policy.id,
    explanation: JSON.stringify({
      ...circumstances(sale, credit, at),
      decision: "earned",
      policy: earned.policy,
      baseCents: sale.amountCents,
      uncappedCents: earned.uncappedCents,
      capped: earned.capped,
      rounding: "half_up",
      amountCents: earned.amountCents,
      holdUntil: earned.holdUntil,
    }),
  };
}

function voided(
  sale: SoldFor,
  credit: Credit | NoCredit,
  policy: (Earning & { due: false })["policy"] | null,
  reason: VoidReason,
  at: number,
): CommissionTerms {
  return {
    partnerId: isCredit(credit) ? credit.partnerId : null,
    status: "void",
    reason,
    isUnconfirmed: false,
    initialCents: 0,
    currency: sale.currency,
    holdUntil: null,
    policyId: policy?.id ?? null,
    explanation: JSON.stringify({
      ...circumstances(sale, credit, at),
      decision: "void",
      reason,
      policy: policy ?? null,
    }),
  };
}

const circumstances = (sale: SoldFor, credit: Credit | NoCredit, at: number) => ({
  decidedAt: at,
  sale: {
    transactionId: sale.transactionId,
    amountCents: sale.amountCents,
    currency: sale.currency,
    occurredAt: sale.occurredAt,
  },
  partner: isCredit(credit) ? { id: credit.partnerId, code: credit.partnerCode } : null,
  click: isCredit(credit) ? { id: credit.clickId, at: credit.clickAt } : null,
  clickAgeDays: credit.clickAgeDays ?? null,
  windowDays: credit.windowDays ?? null,
  evidence: isCredit(credit) ? credit.evidence : null,
  model: isCredit(credit) ? credit.model : null,
});

/** A ledger entry of a commission; `id` and amount as decided. */
export const entryOf = (
  book: Book,
  commission: { readonly id: number; readonly currency: string },
  partnerId: number,
  entry: Pick<EntryRow, "id" | "kind" | "amountCents" | "refundId" | "occurredAt" | "createdAt">,
  timezone: string,
): EntryRow => ({
  ...entry,
  programId: book.programId,
  isTest: book.isTest,
  commissionId: commission.id,
  partnerId,
  currency: commission.currency,
  day: dayIn(timezone, entry.occurredAt),
});
