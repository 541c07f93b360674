import type { ClickVerdict, DirectSource, JudgedClick, UnattributedReason } from "../attribution.ts";
import { noTerms, type Policy, type VoidReason } from "../commission.ts";
import type { JudgedCoupon } from "../coupons.ts";
import type { BindingEvent, Evidence } from "../evidence.ts";
import type { CommissionId, PartnerId, SaleId } from "../ids.ts";
import type { Group, PartnerPolicies } from "../policy-in-force.ts";
import type { AttributionModel, WindowUntil } from "../program-terms.ts";
import type { ItemGroup } from "../rules.ts";
import type { AppliedStep } from "../tiers.ts";

export interface FrozenTerms {
  readonly model: AttributionModel;
  readonly windowDays: number;
  readonly windowUntil: WindowUntil;
}

/** The JSON stored with a lead: its decision with the facts behind it. */
export interface FrozenLead extends FrozenTerms {
  readonly decidedAt: number;
  /** The reason in the reply. Null if the lead was attributed, or is provisional. */
  readonly reason: UnattributedReason | null;
  readonly candidates: readonly JudgedClick[];
}

interface FrozenClick {
  readonly id: string;
  readonly at: number;
}
interface FrozenPartner {
  readonly id: number;
  readonly code: string;
}

export interface MovedFrom {
  readonly partnerId: PartnerId;
  readonly partnerCode: string | null;
  readonly amountCents: number;
  /** Previous partners, newest first, at most `mostPartnersLeft`. */
  readonly before?: readonly PartnerId[];
}

/** The partner credited with a sale, and the evidence. */
export interface FrozenAttribution {
  readonly partner: FrozenPartner | null;
  readonly click: FrozenClick | null;
  readonly considered: { readonly click: FrozenClick; readonly partner: FrozenPartner | null } | null;
  readonly clickAgeDays: number | null;
  readonly windowDays: number | null;
  readonly evidence: Evidence | null;
  readonly model: AttributionModel | null;
  readonly windowUntil: WindowUntil | null;
  readonly bound: { readonly by: BindingEvent; readonly at: number } | null;
  /** Set for an attribution without a click. The partner is credited with sales from `since` on (ms). */
  readonly direct?: { readonly source: DirectSource; readonly since: number };
  /** The program's attribution terms. Set if the sale wasn't attributed. */
  readonly terms?: FrozenTerms;
}

/** Facts about the customer's other sales with the same partner, as known at the decision. */
export interface FrozenPast {
  readonly firstAttributedSaleAt: number | null;
  readonly isOneTimeTaken: boolean;
  /**
   * The customer's `one_time` commission: the only one that a policy with scope `one_time` pays for a customer. Null if
   * no sale had used it, if a sale at a former program had, or if a sale that was still to be reattributed had reserved
   * it.
   */
  readonly oneTimeCommissionId: CommissionId | null;
}

/**
 * The facts, as known at the decision, by which a sale was classified as a renewal or a first payment: the newest other
 * sale of the subscription that isn't later, and whether the subscription was imported.
 */
export interface FrozenRenewal {
  readonly saleId: SaleId | null;
  readonly isImported: boolean;
}

export interface FrozenSale extends FrozenAttribution {
  readonly decidedAt: number;
  readonly sale: {
    readonly transactionId: string;
    readonly amountCents: number;
    readonly currency: string;
    readonly occurredAt: number;
  };
  /** The clicks that were judged. Set only if the call that reported the sale sent click ids. */
  readonly candidates?: readonly JudgedClick[];
  readonly movedFrom?: MovedFrom;
  /** The coupons that were judged. Set only if the call that reported the sale sent any. */
  readonly coupons?: readonly JudgedCoupon[];
  /** The group that owns the deciding policy, with its name at the time. Set only for a group's policy. */
  readonly group?: Group;
  /** Not set if the decision used no other sale of the customer. */
  readonly past?: FrozenPast;
  /** Set only if the call that reported the sale didn't state whether it is a renewal. */
  readonly renewal?: FrozenRenewal;
}

/**
 * The deciding policy without its rules, tiers and group. Rules and tiers are stored with the policy version, which
 * never changes, and the group is a separate field.
 */
export type FrozenPolicy = Omit<Policy, "rules" | "tiers" | "groupId">;
export const frozenPolicy = <P extends Pick<Policy, "rules" | "tiers" | "groupId">>({
  rules,
  tiers,
  groupId,
  ...terms
}: P) => terms;

/** The group that owns the policy, if it is a group's. */
export function frozenGroup(policy: Policy | undefined, { groups }: PartnerPolicies): { readonly group?: Group } {
  const group = groups.find(({ id }) => id === policy?.groupId);
  return group === undefined ? {} : { group };
}

export interface FrozenEarned extends FrozenSale {
  readonly decision: "earned";
  readonly policy: FrozenPolicy;
  /** The step that the partner had reached in the policy's tiers. Unset if they had reached none. */
  readonly tier?: AppliedStep;
  /** Set only for a policy with rules. */
  readonly groups?: readonly ItemGroup[];
  readonly baseCents: number;
  readonly uncappedCents: number;
  readonly capped: boolean;
  readonly rounding: "half_up";
  readonly amountCents: number;
  readonly holdUntil: number;
}

interface FrozenVoid extends FrozenSale {
  readonly decision: "void";
  readonly reason: VoidReason;
  readonly policy: FrozenPolicy | null;
}

/**
 * The JSON stored with a commission. It has the facts of the decision, so later changes of other rows don't affect it.
 */
export type FrozenCommission = FrozenEarned | FrozenVoid;

export const freezeCommission = (commission: FrozenCommission): string => JSON.stringify(commission);
const unsetTerms = frozenPolicy(noTerms);

/** Parses the JSON. Terms that were added to policies later are filled in as not set. */
export function readFrozenCommission(json: string): FrozenCommission {
  const frozen = JSON.parse(json) as FrozenCommission;
  if (frozen.policy === null) return frozen;
  return { ...frozen, policy: { ...unsetTerms, ...frozen.policy } } as FrozenCommission;
}

/**
 * The rate that gave the amount: of the policy, of a rule or of a tier. Null if several rates, or a fixed amount, gave
 * it, if a rule excluded some items, and for a void commission.
 */
export function appliedRateBps(explanation: string): number | null {
  const frozen = readFrozenCommission(explanation);
  if (frozen.decision === "void") return null;
  const { policy, tier, groups = [tier ?? policy] } = frozen;
  const rates = new Set(groups.map(({ rateBps }) => rateBps ?? null));
  const [rate = null] = rates;
  return rates.size === 1 ? rate : null;
}

export const freezeLead = (lead: FrozenLead): string => JSON.stringify(lead);
export const readFrozenLead = (json: string): FrozenLead => JSON.parse(json) as FrozenLead;

const maxCandidates = 21;

const outcomeOfReason: Partial<Record<VoidReason, ClickVerdict["outcome"]>> = {
  existing_customer: "after_the_event",
  attribution_window_expired: "outside_window",
};

interface DecidedSale
  extends Pick<FrozenAttribution, "click" | "partner" | "considered" | "clickAgeDays" | "windowDays"> {
  readonly reason?: VoidReason;
}

/** The click that decided a sale, followed by the other clicks that were judged. */
export function candidatesOfSale(decided: DecidedSale, judged: readonly JudgedClick[]): readonly JudgedClick[] {
  const own = decidingClick(decided);
  if (own === undefined) return judged;
  const others = judged.filter(({ clickId }) => clickId !== own.clickId);
  return [own, ...others].slice(0, maxCandidates);
}

function decidingClick({
  click,
  partner,
  considered,
  reason,
  clickAgeDays,
  windowDays,
}: DecidedSale): JudgedClick | undefined {
  const age = {
    ...(clickAgeDays === null ? {} : { ageDays: clickAgeDays }),
    ...(windowDays === null ? {} : { windowDays }),
  };
  if (click !== null) {
    return { clickId: click.id, at: click.at, partnerCode: partner?.code ?? null, outcome: "chosen", ...age };
  }
  const outcome = reason && outcomeOfReason[reason];
  if (considered === null || outcome === undefined) return undefined;
  const { id: clickId, at } = considered.click;
  return { clickId, at, partnerCode: considered.partner?.code ?? null, outcome, ...age };
}
