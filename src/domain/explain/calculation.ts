import { correctionNumber } from "../correction.ts";
import { couponKey, type JudgedCoupon } from "../coupons.ts";
import type { OfferTerms } from "../offers.ts";
import type { ItemGroup } from "../rules.ts";
import { noUnits, type Units } from "../units.ts";
import { memberText, reasonText } from "./decision.ts";
import type { DecisionFacts, EntryFacts, ExplainFacts, StorySale } from "./facts.ts";
import type { FrozenCommission, FrozenEarned } from "./frozen.ts";
import { freeText, moneyText, percentText, quoted, quotedText, shareText } from "./text.ts";
import { tierText } from "./tier-text.ts";

export const calculationSteps = [
  "base",
  "offer",
  "tier",
  "rate",
  "flat",
  "item_rule",
  "excluded",
  "minimum",
  "cap",
  "rounding",
  "refund",
  "restored",
  "moved",
  "rejected",
] as const;

/**
 * One step of the calculation. `cents` is the amount after the step. After the last step it is the commission's amount.
 */
export interface CalculationStep {
  readonly step: (typeof calculationSteps)[number];
  readonly text: string;
  readonly cents: number;
  /** The currency or unit of `cents`. In the steps before the commission, it is the sale's currency. */
  readonly currency: string;
}

/** The steps from the sale to the commission's amount. Empty if nothing was computed. */
export function calculationOf(
  sale: StorySale,
  frozen: FrozenCommission,
  facts: Pick<ExplainFacts, "entries" | "decision" | "offer" | "timezone" | "units">,
): readonly CalculationStep[] {
  const { commission } = sale;
  const { entries, decision, units } = facts;
  const { currency } = commission;
  const earned: Earned = { currency, money: (cents) => moneyText(cents, currency, units) };
  if (frozen.decision === "void") {
    return frozen.reason === "below_minimum" ? belowMinimum(sale, frozen.policy, currency) : [];
  }
  const initial = initialSteps(sale, frozen, facts, earned);
  const own = entries.filter(({ partnerId }) => partnerId === commission.partnerId);
  const isMoved = frozen.movedFrom !== undefined && own.every(({ kind }) => kind !== "earned");
  const steps = isMoved ? [...initial, ...movedSteps(sale, frozen, initial, { own, earned })] : [...initial];
  let cents = steps.at(-1)?.cents ?? 0;
  const changes = own.flatMap((entry) => changesBy(entry, { decision, isCorrected: sale.correctedBy !== null, units }));
  const restCents = changes.reduce((rest, { amountCents }) => rest - amountCents, commission.amountCents - cents);
  for (const { amountCents, ...described } of withUnlisted(changes, restCents, earned)) {
    cents += amountCents;
    steps.push({ ...described, cents, currency });
  }
  return steps;
}

/** The currency or unit of the commission, and a function that formats its amounts. */
export interface Earned {
  readonly currency: string;
  readonly money: (cents: number) => string;
  /** Returns the name of a rule by its index. Default: the rule's label or number. */
  readonly ruleName?: (rule: number) => string;
}

type SoldFor = Pick<StorySale, "amountCents" | "currency">;
type Decided = Pick<FrozenEarned, "tier" | "amountCents" | "uncappedCents" | "groups" | "coupons"> & {
  readonly policy: Pick<FrozenEarned["policy"], "type" | "rateBps" | "currency">;
};

interface Change extends Omit<CalculationStep, "cents" | "currency"> {
  readonly amountCents: number;
}

/** Adds a step for refunds that aren't among the listed entries. It comes before a rejection. */
function withUnlisted(changes: readonly Change[], amountCents: number, { money }: Earned): readonly Change[] {
  if (amountCents === 0) return changes;
  const amount = money(Math.abs(amountCents));
  const unlisted: Change =
    amountCents < 0
      ? { step: "refund", text: `${amount} less for further refunds`, amountCents }
      : { step: "restored", text: `${amount} back, because further refunds were canceled`, amountCents };
  const rejectedAt = changes.findIndex(({ step }) => step === "rejected");
  const end = rejectedAt === -1 ? changes.length : rejectedAt;
  return [...changes.slice(0, end), unlisted, ...changes.slice(end)];
}

export const baseStep = ({ amountCents, currency }: SoldFor): CalculationStep => ({
  step: "base",
  text: `Sale of ${moneyText(amountCents, currency, noUnits)}`,
  cents: amountCents,
  currency,
});

/**
 * Shows the offer without changing an amount. The amount of a sale is what the customer paid, so it already includes
 * the discount.
 */
function offerSteps(
  { amountCents, currency }: SoldFor,
  offer: OfferTerms | undefined,
  coupons: readonly JudgedCoupon[] = [],
): readonly CalculationStep[] {
  const ids = new Set(Object.values(offer?.couponIds ?? {}).map(couponKey));
  const used = coupons.find(({ code }) => ids.has(couponKey(code)));
  if (offer === undefined || used === undefined) return [];
  const text = `With the discount of the partner's offer ${quotedText(offer.label)}: coupon ${quoted(used.code)}`;
  return [{ step: "offer", text, cents: amountCents, currency }];
}

/** `currency` is the currency or unit of the commission. */
export function belowMinimum(
  sale: SoldFor,
  policy: Pick<FrozenEarned["policy"], "minSaleCents" | "currency"> | null,
  currency: string,
): readonly CalculationStep[] {
  const minimum = moneyText(policy?.minSaleCents ?? 0, policy?.currency ?? sale.currency, noUnits);
  return [baseStep(sale), { step: "minimum", text: `Below the policy's minimum of ${minimum}`, cents: 0, currency }];
}

/** The steps from the sale to the commission as first decided. */
export function initialSteps(
  sale: SoldFor,
  { policy, tier, amountCents, uncappedCents, groups, coupons }: Decided,
  { offer, timezone }: Pick<ExplainFacts, "offer" | "timezone">,
  earned: Earned,
): readonly CalculationStep[] {
  const { currency, money } = earned;
  const steps = [baseStep(sale), ...offerSteps(sale, offer, coupons)];
  const rateBps = tier?.rateBps ?? policy.rateBps ?? 0;
  if (tier !== undefined && (groups?.some(({ rule }) => rule === null) ?? true)) {
    const text = tierText(tier, { currency: policy.currency ?? sale.currency, money, timezone });
    steps.push({ step: "tier", text, cents: sale.amountCents, currency: sale.currency });
  }
  if (groups?.some(({ rule }) => rule !== null)) steps.push(...groupSteps(groups, sale, earned));
  else if (policy.type === "percent") steps.push(...rateSteps(sale, rateBps, uncappedCents));
  else {
    const text = `Flat commission of ${money(uncappedCents)}`;
    steps.push({ step: "flat", text, cents: uncappedCents, currency });
  }
  if (amountCents < uncappedCents) {
    steps.push({ step: "cap", text: `Capped at ${money(amountCents)}`, cents: amountCents, currency });
  }
  return steps;
}

/** One step for each rule that covers items, and one for the policy's own terms. Each shows the sum so far. */
function groupSteps(groups: readonly ItemGroup[], sale: SoldFor, earned: Earned): readonly CalculationStep[] {
  let sum = 0;
  return groups.map((group) => {
    sum += group.cents;
    const step = group.excluded ? "excluded" : "item_rule";
    const text = `${groupName(group, earned)}: ${groupText(group, sale, earned)}`;
    return { step, text, cents: sum, currency: earned.currency };
  });
}

function groupName({ rule, label }: ItemGroup, { ruleName }: Earned): string {
  if (rule === null) return "Other items";
  return ruleName?.(rule) ?? (label === undefined ? `Rule ${rule + 1}` : freeText(label));
}

function groupText(
  { baseCents, rateBps, amountCents, quantity, cents }: ItemGroup,
  { currency }: SoldFor,
  { money }: Earned,
): string {
  const base = moneyText(baseCents, currency, noUnits);
  if (rateBps !== undefined) {
    const exact = `${percentText(rateBps)} of ${base} = ${shareText(baseCents, rateBps, currency)}`;
    return isWhole(baseCents, rateBps) ? exact : `${exact}, rounded half up to ${money(cents)}`;
  }
  if (amountCents === undefined) return `${base} earns nothing`;
  const each = money(amountCents);
  return quantity === undefined || quantity === 1
    ? `Flat commission of ${each}`
    : `${quantity} × ${each} = ${money(cents)}`;
}

/** The step of a rate shows cents rounded down. If the share isn't a whole number of cents, a second step rounds it. */
function rateSteps({ amountCents, currency }: SoldFor, rateBps: number, roundedCents: number): CalculationStep[] {
  const exact = shareText(amountCents, rateBps, currency);
  const text = `${percentText(rateBps)} of ${moneyText(amountCents, currency, noUnits)} = ${exact}`;
  if (isWhole(amountCents, rateBps)) return [{ step: "rate", text, cents: roundedCents, currency }];
  const rounded = moneyText(roundedCents, currency, noUnits);
  return [
    { step: "rate", text, cents: Number((BigInt(amountCents) * BigInt(rateBps)) / 10_000n), currency },
    { step: "rounding", text: `Rounded half up to ${rounded}`, cents: roundedCents, currency },
  ];
}

/** True if the share is a whole number of cents. */
const isWhole = (cents: number, rateBps: number): boolean => (BigInt(cents) * BigInt(rateBps)) % 10_000n === 0n;

/** The steps of a sale that moved from another partner. Refunds before the move have lowered the amount. */
function movedSteps(
  sale: StorySale,
  { movedFrom }: FrozenCommission,
  initial: readonly CalculationStep[],
  { own, earned: { currency, money } }: { readonly own: readonly EntryFacts[]; readonly earned: Earned },
): CalculationStep[] {
  const cents = own.find(({ kind }) => kind === "moved")?.amountCents ?? 0;
  const sold = moneyText(sale.amountCents, sale.currency, noUnits);
  const refund: CalculationStep = {
    step: "refund",
    text: `Refunds of the sale of ${sold} before it moved left a commission of ${money(cents)}`,
    cents,
    currency,
  };
  const from = movedFrom?.partnerCode == null ? "another partner" : `partner ${movedFrom.partnerCode}`;
  const moved: CalculationStep = { step: "moved", text: `Moved from ${from}`, cents, currency };
  return initial.at(-1)?.cents === cents ? [moved] : [refund, moved];
}

interface Changed {
  readonly decision: DecisionFacts | undefined;
  readonly isCorrected: boolean;
  readonly units: Units;
}

function changesBy(
  { kind, amountCents, currency, refundId }: EntryFacts,
  { decision, isCorrected, units }: Changed,
): readonly Change[] {
  const refund = refundId === null ? "refund" : `refund ${quoted(refundId)}`;
  const amount = moneyText(Math.abs(amountCents), currency, units);
  switch (kind) {
    case "reversed":
      return [
        {
          step: "refund",
          text: `${amount} less for ${isCorrected && correctionNumber(refundId) !== undefined ? "the correction" : refund}`,
          amountCents,
        },
      ];
    case "restored":
      return [{ step: "restored", text: `${amount} back, because ${refund} was canceled`, amountCents }];
    case "rejected":
      return [
        { step: "rejected", text: `${amount} rejected by ${memberText(decision)}${reasonText(decision)}`, amountCents },
      ];
    default:
      return [];
  }
}
