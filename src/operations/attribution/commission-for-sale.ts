import type { DirectSource, JudgedClick, UnattributedReason } from "#domain/attribution.ts";
import type { Book } from "#domain/book.ts";
import {
  commissionFor,
  currencyOf,
  type Earning,
  earningSale,
  initialStatus,
  type SoldSale,
  type VoidReason,
} from "#domain/commission.ts";
import { couponsOf, judgeCoupons } from "#domain/coupons.ts";
import type { BindingEvent, Evidence } from "#domain/evidence.ts";
import {
  candidatesOfSale,
  type FrozenAttribution,
  type FrozenRenewal,
  type FrozenSale,
  freezeCommission,
  frozenGroup,
  frozenPolicy,
  type MovedFrom,
} from "#domain/explain/frozen.ts";
import type { CommissionId, PartnerId } from "#domain/ids.ts";
import { type PartnerPolicies, policyInForce } from "#domain/policy-in-force.ts";
import type { AttributionModel, WindowUntil } from "#domain/program-terms.ts";
import type { Hold, NearbySale, PartnerRisk, Signal } from "#domain/risk.ts";
import { joinHolds, reviewEndOf, signalsOf } from "#domain/signals.ts";
import type { EntryRow, NewCommission } from "#store/commissions.ts";
import type { SaleRow } from "#store/sales.ts";
import type { Program } from "#store/settings.ts";
import { insertSignal, type SignalRow } from "#store/signals.ts";
import type { Write } from "#store/statement.ts";
import { newEntry } from "../entry.ts";
import type { Context, Deciding } from "../operation.ts";
import { newApproval, noApproval } from "./approval.ts";
import { attributionTerms } from "./attribution-terms.ts";
import { frozenPast, pastOf, type SalesHistory } from "./sales-history.ts";
import { type KeptStep, type StepUnder, stepFor } from "./step-of-sale.ts";

export interface Credited {
  readonly partnerId: PartnerId;
  readonly partnerCode: string;
  readonly isPartnerActive: boolean;
  readonly isConfirmed: boolean;
  readonly risk: PartnerRisk;
}

export interface ClickCredit extends Credited {
  readonly source: "click";
  readonly clickId: string;
  readonly clickAt: number;
  readonly clickAgeDays: number;
  readonly evidence: Evidence;
  readonly model: AttributionModel;
  readonly windowDays: number;
  readonly windowUntil: WindowUntil;
  readonly bound: { readonly by: BindingEvent; readonly at: number };
}

export interface DirectCredit extends Credited {
  readonly source: DirectSource;
  readonly since: number;
}

export type Credit = ClickCredit | DirectCredit;

export interface Considered {
  readonly clickId: string;
  readonly clickAt: number;
  readonly partner: { readonly id: PartnerId; readonly code: string } | null;
}

export interface NoCredit {
  readonly reason: UnattributedReason;
  readonly clickAgeDays?: number | undefined;
  readonly windowDays?: number | undefined;
  readonly considered?: Considered | undefined;
}

export const isCredit = (credit: Credit | NoCredit): credit is Credit => "partnerId" in credit;

/**
 * The reason `existing_customer` together with a considered click means only that the click is newer than the
 * customer's first sale. That first sale may be later than this sale, so the reason doesn't show that the customer had
 * bought before.
 */
const couponOutcomeOf = (credit: Credit | NoCredit) =>
  isCredit(credit)
    ? { partnerId: credit.partnerId, hasBought: false }
    : { partnerId: null, hasBought: credit.reason === "existing_customer" && credit.considered === undefined };

/** True if the attribution covers a sale at that instant. */
export const isOwed = (credit: Credit, occurredAt: number): boolean =>
  credit.source === "click" || occurredAt >= credit.since;

export function attributionColumns(credit: Credit | NoCredit) {
  if (isCredit(credit)) {
    const { partnerId, partnerCode } = credit;
    const { clickAgeDays, windowDays } = credit.source === "click" ? credit : noClick;
    return { partnerId, partnerCode, reason: null, clickAgeDays, windowDays };
  }
  const { reason, clickAgeDays = null, windowDays = null } = credit;
  return { partnerId: null, partnerCode: null, reason, clickAgeDays, windowDays };
}

export type CommissionTerms = Omit<
  NewCommission,
  "id" | "saleId" | "programId" | "isTest" | "amountCents" | "createdAt" | "reversedNumber"
>;

/** The commission's terms and the risk signals that the decision raised. */
export interface DecidedCommission {
  readonly terms: CommissionTerms;
  readonly signals: readonly RaisedSignal[];
}

interface RaisedSignal extends Signal {
  readonly raisedAt: number;
  readonly reviewUntil: number | null;
}

export interface CreditedSale {
  readonly sale: SoldSale & Pick<SaleRow, "transactionId" | "isTest" | "day">;
  readonly credit: Credit | NoCredit;
  readonly history: SalesHistory;
  readonly movedFrom?: MovedFrom | undefined;
  /** Undefined if the call that reported the sale sent no click ids. */
  readonly judged?: readonly JudgedClick[] | undefined;
  /** Undefined if the call that reported the sale states whether it is a renewal. */
  readonly renewal?: FrozenRenewal | undefined;
  /** Versions of the credited partner's policies that may be in force at the instant of the sale. */
  readonly policies: PartnerPolicies;
  /**
   * Another sale with the same amount shortly before or after, which may be the same payment. Undefined if there is
   * none, or if the two sales were compared before.
   */
  readonly nearby?: NearbySale | undefined;
  readonly kept?: KeptSignals | undefined;
  /**
   * Set if the sale corrects another sale: the step of the policy's tiers that decided the corrected sale, to be kept.
   */
  readonly keptStep?: KeptStep | undefined;
}

/** Risk signals that are already stored for the commission. They aren't raised again. */
export interface KeptSignals {
  readonly hold: Hold | undefined;
  readonly codes: readonly string[];
  /** When the newest signal was raised (ms). */
  readonly lastAt: number | null;
}

export function decideCommission(credited: CreditedSale, deciding: Deciding): DecidedCommission {
  const { sale, credit, nearby, kept } = credited;
  const { program, at } = deciding;
  const earned = isCredit(credit) ? earningOf(credited, credit, program, stepFor(credited, credit)) : undefined;
  const raised =
    isCredit(credit) && earned?.due ? signalsOf({ ...credit, transactionId: sale.transactionId, nearby }, program) : [];
  // Signals with the same code need distinct instants, even if two calls with the same instant reattribute the sale.
  const raisedAt = Math.max(at, (kept?.lastAt ?? 0) + 1);
  const signals = raised
    .filter(({ code }) => kept === undefined || !kept.codes.includes(code))
    .map((signal) => ({
      ...signal,
      raisedAt,
      reviewUntil: signal.effect === "hold" ? reviewEndOf(program, raisedAt) : null,
    }));
  return { terms: commissionTerms(credited, earned, signals, deciding), signals };
}

export const earningOf = (
  { sale, history, policies }: Pick<CreditedSale, "history" | "policies"> & { readonly sale: SoldSale },
  { partnerId, isPartnerActive }: Credit,
  program: Program,
  stepUnder?: StepUnder,
): Earning => {
  const policy = policyInForce(policies, partnerId, sale.occurredAt);
  const earning = earningSale(sale, {
    ...pastOf(history),
    partnerId,
    partnerActive: isPartnerActive,
    programActive: program.status === "active",
  });
  return commissionFor(policy, earning, policy && stepUnder?.(policy));
};

const holdOf = ({ kept }: CreditedSale, signals: readonly RaisedSignal[]): Hold | undefined =>
  joinHolds([
    ...(kept?.hold === undefined ? [] : [kept.hold]),
    ...signals
      .filter(({ effect }) => effect === "hold")
      .map(({ raisedAt, reviewUntil }) => ({ heldAt: raisedAt, reviewUntil })),
  ]);

export const notHeld = { heldAt: null, reviewUntil: null } as const;

function commissionTerms(
  credited: CreditedSale,
  earned: Earning | undefined,
  signals: readonly RaisedSignal[],
  deciding: Deciding,
): CommissionTerms {
  const { sale, credit, movedFrom, judged, renewal } = credited;
  const { program, at, context } = deciding;
  const decided = isCredit(credit) ? creditExplanation(credit) : noCreditExplanation(credit, program);
  const reasoned = isCredit(credit) ? decided : { ...decided, reason: credit.reason };
  const { transactionId, amountCents, currency, occurredAt } = sale;
  const base: FrozenSale = {
    decidedAt: at,
    sale: { transactionId, amountCents, currency, occurredAt },
    ...decided,
    ...(judged && { candidates: candidatesOfSale(reasoned, judged) }),
    ...(movedFrom && { movedFrom }),
    ...(sale.coupons !== null && { coupons: judgeCoupons(couponsOf(sale.coupons), couponOutcomeOf(credit)) }),
    ...frozenGroup(earned?.policy, credited.policies),
    ...(earned && frozenPast(credited.history)),
    ...(renewal && { renewal }),
  };
  const isUnconfirmed = isCredit(credit) && !credit.isConfirmed;
  const voided = (reason: VoidReason, policy: (Earning & { due: false })["policy"]): CommissionTerms => ({
    ...groundOf(credit),
    status: "void",
    reason,
    isUnconfirmed,
    ...notHeld,
    ...noApproval,
    initialCents: 0,
    currency: currencyOf(policy, sale),
    holdUntil: null,
    policyId: policy?.id ?? null,
    explanation: freezeCommission({ ...base, decision: "void", reason, policy: policy ? frozenPolicy(policy) : null }),
  });
  if (!isCredit(credit)) return voided(credit.reason, undefined);
  if (earned === undefined) throw new Error("the earning of a credited sale is missing");
  if (!earned.due) return voided(earned.reason, earned.policy);
  const hold = holdOf(credited, signals);
  const { holdUntil } = earned;
  const status = initialStatus({ holdUntil, unconfirmed: isUnconfirmed, held: hold !== undefined }, at);
  return {
    ...groundOf(credit),
    status,
    reason: null,
    isUnconfirmed,
    ...(hold ?? notHeld),
    ...(status === "approved" ? { ...newApproval(context, at), approvedBy: "hold" } : noApproval),
    initialCents: earned.amountCents,
    currency: currencyOf(earned.policy, sale),
    holdUntil,
    policyId: earned.policy.id,
    explanation: freezeCommission({
      ...base,
      decision: "earned",
      policy: frozenPolicy(earned.policy),
      ...(earned.step && { tier: earned.step }),
      ...(earned.policy.rules !== null && { groups: earned.groups }),
      baseCents: amountCents,
      uncappedCents: earned.uncappedCents,
      capped: earned.capped,
      rounding: "half_up",
      amountCents: earned.amountCents,
      holdUntil,
    }),
  };
}

/** When the hold or the review of a pending commission ends (ms). Undefined if neither ends automatically. */
export const awaitedBy = ({
  status,
  heldAt,
  holdUntil,
  reviewUntil,
}: Pick<CommissionTerms, "status" | "heldAt" | "holdUntil" | "reviewUntil">): number | undefined =>
  status === "pending" ? ((heldAt === null ? holdUntil : reviewUntil) ?? undefined) : undefined;

function groundOf(credit: Credit | NoCredit): Pick<CommissionTerms, "partnerId" | "source" | "clickId"> {
  if (!isCredit(credit)) return { partnerId: null, source: null, clickId: null };
  const { partnerId, source } = credit;
  return { partnerId, source, clickId: source === "click" ? credit.clickId : null };
}

const noClick = {
  click: null,
  considered: null,
  clickAgeDays: null,
  windowDays: null,
  evidence: null,
  model: null,
  windowUntil: null,
  bound: null,
} as const;

export function creditExplanation(credit: Credit): FrozenAttribution {
  const partner = { id: credit.partnerId, code: credit.partnerCode };
  const { source } = credit;
  if (source !== "click") return { partner, ...noClick, direct: { source, since: credit.since } };
  return {
    partner,
    click: { id: credit.clickId, at: credit.clickAt },
    considered: null,
    clickAgeDays: credit.clickAgeDays,
    windowDays: credit.windowDays,
    evidence: credit.evidence,
    model: credit.model,
    windowUntil: credit.windowUntil,
    bound: credit.bound,
  };
}

const noCreditExplanation = (
  { considered, clickAgeDays, windowDays }: NoCredit,
  program: Program,
): FrozenAttribution => ({
  partner: null,
  ...noClick,
  considered:
    considered === undefined
      ? null
      : { click: { id: considered.clickId, at: considered.clickAt }, partner: considered.partner },
  clickAgeDays: clickAgeDays ?? null,
  windowDays: windowDays ?? null,
  terms: attributionTerms(program),
});

/** `occurredAt` and `day` are those of the event (a sale, a refund) that causes the entry. */
export type Entry = Pick<EntryRow, "kind" | "amountCents" | "occurredAt" | "day" | "partnerId"> & {
  readonly refundId?: number | undefined;
};

export const ledgerEntry = (
  { programId, isTest, id, currency }: Book & { readonly id: CommissionId; readonly currency: string },
  entry: Entry,
  context: Context,
): EntryRow => newEntry({ ...entry, programId, isTest, commissionId: id, currency }, context);

type OfCommission = Book & { readonly id: CommissionId };
type NewSignal = Pick<SignalRow, "code" | "effect" | "evidence" | "noteId" | "partnerId" | "raisedAt" | "reviewUntil">;

export const newSignal = ({ programId, isTest, id: commissionId }: OfCommission, signal: NewSignal): SignalRow => ({
  ...signal,
  programId,
  isTest,
  commissionId,
  endedAt: null,
  endedBy: null,
});

export const signalWrites = (commission: OfCommission, signals: readonly RaisedSignal[]): readonly Write[] =>
  signals.map(({ evidence, ...signal }) =>
    insertSignal(newSignal(commission, { ...signal, evidence: JSON.stringify(evidence), noteId: null })),
  );
