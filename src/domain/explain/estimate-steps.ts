import type { Earning } from "../commission.ts";
import type { Estimate, Payments } from "../estimate.ts";
import { unitsByCode } from "../units.ts";
import { baseStep, belowMinimum, type CalculationStep, type Earned, initialSteps } from "./calculation.ts";
import { reasonClause } from "./missing.ts";
import { ruleName } from "./rule-text.ts";
import { moneyText, sentence } from "./text.ts";

type Step = Omit<CalculationStep, "step">;

/** A step of the calculation. It applies from `month` on, until a later month has steps of its own. */
export interface EstimateStep extends Step {
  readonly month: number;
}

/**
 * Explains the estimated commissions in the same words as real ones, but without labels of rules, which partners don't
 * see.
 */
export function estimateSteps(
  { payments, currency, unit }: Estimate,
  sold: Payments,
  timezone: string,
): readonly EstimateStep[] {
  const units = unitsByCode(unit === null ? [] : [unit]);
  const earned = { currency, money: (cents: number) => moneyText(cents, currency, units) };
  let before = "";
  return payments.flatMap(({ month, earning }) => {
    const steps = earning.due ? earnedSteps(earning, sold, timezone, earned) : voidSteps(earning, sold, currency);
    const texts = steps.map(({ text }) => text).join("\n");
    if (texts === before) return [];
    before = texts;
    return steps.map(({ text, cents, currency: of }) => ({ month, text, cents, currency: of }));
  });
}

function earnedSteps(
  { policy, step, groups, amountCents, uncappedCents }: Extract<Earning, { due: true }>,
  sold: Payments,
  timezone: string,
  earned: Earned,
): readonly Step[] {
  const { rules } = policy;
  const decided = {
    policy,
    amountCents,
    uncappedCents,
    ...(step && { tier: step }),
    ...(rules !== null && { groups }),
  };
  const nameOf = (rule: number) => ruleName(rules?.[rule]?.when ?? {});
  return initialSteps(sold, decided, { offer: undefined, timezone }, { ...earned, ruleName: nameOf });
}

function voidSteps(
  { reason, ...decided }: Extract<Earning, { due: false }>,
  sold: Payments,
  currency: string,
): readonly Step[] {
  const policy = decided.policy ?? null;
  if (reason === "below_minimum") return belowMinimum(sold, policy, currency);
  const text = sentence(reasonClause(reason, { policy, sale: { ...sold, occurredAt: sold.from } }));
  return [baseStep(sold), { text, cents: 0, currency }];
}
