import type { Policy } from "#domain/commission.ts";
import type { PartnerId, PolicyId } from "#domain/ids.ts";
import { type AppliedStep, periodOfDay, stepOfSale } from "#domain/tiers.ts";
import type { CreditedSale } from "./commission-for-sale.ts";

/** The tier step that decided a sale, with the partner and the policy version that the step applied to. */
export interface KeptStep {
  readonly partnerId: PartnerId;
  readonly policyId: PolicyId;
  readonly day: string;
  readonly step: AppliedStep | undefined;
}

/** Returns the step that the partner had reached under a policy version. */
export type StepUnder = (policy: Policy) => AppliedStep | undefined;

/**
 * A corrected sale keeps its step if its partner, policy version and period stay the same. Any other sale gets the
 * partner's newest step at the time of the decision.
 */
export const stepFor =
  (
    { sale, policies, keptStep }: Pick<CreditedSale, "sale" | "policies" | "keptStep">,
    { partnerId }: { readonly partnerId: PartnerId },
  ): StepUnder =>
  (policy) => {
    const isKept =
      keptStep?.partnerId === partnerId &&
      keptStep.policyId === policy.id &&
      policy.tiers !== null &&
      periodOfDay(policy.tiers.period, keptStep.day) === periodOfDay(policy.tiers.period, sale.day);
    return isKept ? keptStep.step : stepOfSale(policy, sale, policies.steps);
  };
