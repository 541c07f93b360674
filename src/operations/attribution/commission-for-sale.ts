import type { AttributionModel, UnattributedReason, WindowUntil } from "../../domain/attribution.ts";
import type { Book } from "../../domain/book.ts";
import { type Earning, earning, initialStatus, policyInForce, type VoidReason } from "../../domain/commission.ts";
import type { CommissionRow, EntryRow } from "../../store/commissions.ts";
import type { SaleRow } from "../../store/sales.ts";
import type { Program } from "../../store/settings.ts";
import type { Context } from "../operation.ts";

/** The partner credited with a sale, and the evidence. */
export interface Credit {
  readonly partnerId: number;
  readonly partnerCode: string;
  readonly isPartnerActive: boolean;
  readonly clickId: string;
  readonly clickAt: number;
  readonly clickAgeDays: number;
  readonly evidence: "key" | "browser";
  /** Whether keyed evidence or a person backs it. */
  readonly isConfirmed: boolean;
  readonly model: AttributionModel;
  readonly windowDays: number;
  readonly windowUntil: WindowUntil;
  /** The lead or sale that bound the customer; milliseconds. */
  readonly bound: { readonly by: "lead" | "sale"; readonly at: number };
}

/** The click that was looked at, and whose it was, where it came to nothing. */
export interface Considered {
  readonly clickId: string;
  readonly clickAt: number;
  readonly partner: { readonly id: number; readonly code: string } | null;
}

/** Why no partner is credited with a sale. */
export interface NoCredit {
  readonly reason: UnattributedReason;
  /** Whole days; where a window had passed. */
  readonly clickAgeDays?: number | undefined;
  readonly windowDays?: number | undefined;
  readonly considered?: Considered | undefined;
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

export type SaleFacts = Pick<SaleRow, "transactionId" | "amountCents" | "currency" | "occurredAt" | "isRecurring">;

/** What a customer's earlier sales mean for the next one. */
export interface Standing {
  /** The instant of their first attributed sale. */
  readonly firstAttributedSaleAt: number | undefined;
  /** The commission that a `one_time` policy counts as the customer's one; `waiting`: one of the sales still to follow. */
  readonly oneTime: number | "waiting" | undefined;
}

/** What a commission is apart from its ids and what its entries come to. */
export type CommissionTerms = Omit<
  CommissionRow,
  "id" | "saleId" | "programId" | "isTest" | "amountCents" | "createdAt"
>;

/** The partner that a sale leaves, with what it had earned there. */
export interface MovedFrom {
  readonly partnerId: number;
  readonly partnerCode: string | null;
  readonly amountCents: number;
}

/**
 * The commission of a sale: what is due to whom, or why nothing. Everything that it rests on is frozen in its
 * explanation, so that reading it later needs no other row.
 */
export function commissionTerms(
  sale: SaleFacts,
  credit: Credit | NoCredit,
  program: Program,
  standing: Standing,
  at: number,
  movedFrom?: MovedFrom,
): CommissionTerms {
  const base = { ...explanationBase(sale, credit, at), ...(movedFrom && { movedFrom }) };
  const noApproval = { approvedAt: null, approvedBy: null };
  const isUnconfirmed = isCredit(credit) && !credit.isConfirmed;
  const voided = (reason: VoidReason, policy: (Earning & { due: false })["policy"]): CommissionTerms => ({
    partnerId: isCredit(credit) ? credit.partnerId : null,
    status: "void",
    reason,
    isUnconfirmed,
    ...noApproval,
    initialCents: 0,
    currency: sale.currency,
    holdUntil: null,
    policyId: policy?.id ?? null,
    explanation: JSON.stringify({ ...base, decision: "void", reason, policy: policy ?? null }),
  });
  if (!isCredit(credit)) return voided(credit.reason, undefined);

  const earned = earning(policyInForce(program.policies, credit.partnerId, sale.occurredAt), {
    amountCents: sale.amountCents,
    currency: sale.currency,
    occurredAt: sale.occurredAt,
    firstAttributedSaleAt: standing.firstAttributedSaleAt,
    isRecurring: sale.isRecurring,
    isOneTimeTaken: standing.oneTime !== undefined,
    partnerActive: credit.isPartnerActive,
    programActive: program.status === "active",
  });
  if (!earned.due) return voided(earned.reason, earned.policy);
  const status = initialStatus(earned.holdUntil, at, isUnconfirmed);
  return {
    partnerId: credit.partnerId,
    status,
    reason: null,
    isUnconfirmed,
    ...(status === "approved" ? { approvedAt: at, approvedBy: "hold" } : noApproval),
    initialCents: earned.amountCents,
    currency: sale.currency,
    holdUntil: earned.holdUntil,
    policyId: earned.policy.id,
    explanation: JSON.stringify({
      ...base,
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

function explanationBase(sale: SaleFacts, credit: Credit | NoCredit, at: number) {
  const considered = isCredit(credit) ? undefined : credit.considered;
  return {
    decidedAt: at,
    sale: {
      transactionId: sale.transactionId,
      amountCents: sale.amountCents,
      currency: sale.currency,
      occurredAt: sale.occurredAt,
    },
    partner: isCredit(credit) ? { id: credit.partnerId, code: credit.partnerCode } : null,
    click: isCredit(credit) ? { id: credit.clickId, at: credit.clickAt } : null,
    considered:
      considered === undefined
        ? null
        : { click: { id: considered.clickId, at: considered.clickAt }, partner: considered.partner },
    clickAgeDays: credit.clickAgeDays ?? null,
    windowDays: credit.windowDays ?? null,
    evidence: isCredit(credit) ? credit.evidence : null,
    model: isCredit(credit) ? credit.model : null,
    windowUntil: isCredit(credit) ? credit.windowUntil : null,
    bound: isCredit(credit) ? credit.bound : null,
  };
}

/** The customer's standing once a sale is decided; a commission that is taken back whole is not their one. */
export function standingAfter(
  { firstAttributedSaleAt: first, oneTime }: Standing,
  { occurredAt }: Pick<SaleRow, "occurredAt">,
  commission: { readonly id: number; readonly status: CommissionRow["status"] },
): Standing {
  const isDue = commission.status !== "void" && commission.status !== "reversed";
  return {
    firstAttributedSaleAt: Math.min(first ?? occurredAt, occurredAt),
    oneTime: oneTime ?? (isDue ? commission.id : undefined),
  };
}

type Entry = Pick<EntryRow, "kind" | "amountCents" | "occurredAt" | "day"> & { readonly refundId?: number };

/** A ledger entry of a commission, on the day of its event. */
export const entryOf = (
  { programId, isTest }: Book,
  commission: { readonly id: number; readonly currency: string },
  partnerId: number,
  { refundId, ...entry }: Entry,
  context: Context,
): EntryRow => ({
  ...entry,
  id: context.newId("ledgerEntries"),
  programId,
  isTest,
  commissionId: commission.id,
  partnerId,
  currency: commission.currency,
  refundId: refundId ?? null,
  createdAt: context.postingAt(),
});
