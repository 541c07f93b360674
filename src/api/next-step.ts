import { dayIn } from "#domain/calendar.ts";
import { effectiveTiers } from "#domain/effective-rules.ts";
import { formatsOf } from "#domain/explain/commission-text.ts";
import { stepText } from "#domain/explain/tiers-text.ts";
import { type NextStep as Next, nextOfPeriod, stepOfPeriod, tierMetrics } from "#domain/tiers.ts";
import { int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import type { PolicyNow } from "#store/views/policy-now.ts";

export const NextStep = z
  .object({
    remaining: int64().describe(
      "Number of sales, or revenue in the smallest unit of the program's currency, that the partner still needs until the next step's rate applies.",
    ),
    metric: z.enum(tierMetrics),
    rate: int64().describe(
      "Rate of the next step in hundredths of a percent. For a flat commission: its amount in the smallest unit of the currency.",
    ),
  })
  .nullable()
  .describe(
    "Next step of the policy's tiers in the current period. Null if the policy has no tiers, or if the partner has reached the highest step.",
  )
  .openapi("NextStep");

interface Program {
  readonly currency: string;
  readonly timezone: string;
}

/** The tiers that can apply, the partner's counts and the day at `at` (ms). */
const tiersAt = (policy: PolicyNow | undefined, { currency, timezone }: Program, at: number) =>
  [policy && effectiveTiers(policy), policy?.counts ?? [], { today: dayIn(timezone, at), currency }] as const;

/** The partner's next step at `at` (ms). */
export const nextReply = (policy: PolicyNow | undefined, program: Program, at: number): Next | null =>
  nextOfPeriod(...tiersAt(policy, program, at));

/**
 * The rate or amount of the step that applies to the partner's next sale, as text. Null if the partner has reached no
 * step.
 */
export function reachedReply(policy: PolicyNow | undefined, program: Program, at: number): string | null {
  const step = stepOfPeriod(...tiersAt(policy, program, at));
  if (policy === undefined || step === undefined) return null;
  return stepText(step, formatsOf({ currency: policy.currency ?? program.currency, unit: policy.unit }).reward);
}
