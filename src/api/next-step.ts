import { dayIn } from "#domain/calendar.ts";
import { type NextStep as Next, nextOfPeriod, tierMetrics } from "#domain/tiers.ts";
import { int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import type { PolicyNow } from "#store/views/policy-now.ts";

export const NextStep = z
  .object({
    remaining: int64().describe(
      "What is left before the rate applies: a number of sales, or a revenue in the smallest unit of the program's currency.",
    ),
    metric: z.enum(tierMetrics),
    rate: int64().describe(
      "Hundredths of a percent, or for a flat commission the amount in the currency's smallest unit.",
    ),
  })
  .nullable()
  .describe(
    "Next step of the policy's tiers in the running period. Null if the policy has no tiers, or if the highest step is reached.",
  )
  .openapi("NextStep");

interface Program {
  readonly currency: string;
  readonly timezone: string;
}

/** The partner's next step at `at` (ms). */
export const nextReply = (policy: PolicyNow | undefined, { currency, timezone }: Program, at: number): Next | null =>
  nextOfPeriod(policy?.tiers, policy?.counts ?? [], { today: dayIn(timezone, at), currency });
