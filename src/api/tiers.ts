import { maxAmountCents } from "#domain/money.ts";
import { maxTierSales, maxTierSteps, minTierSales, type Tiers, tierMetrics, tierPeriods } from "#domain/tiers.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int32, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";

const metricText =
  "`sales`: the number of sales in the period. `revenue`: the sum of their amounts in the program's currency.";
const periodText = "Period for which a partner's sales are counted, by the day of each sale. Each period starts at 0.";
const thresholdText =
  "For `sales`: the number of the first sale with this rate or amount. For `revenue`: the revenue in cents that a partner must reach before it applies.";

const tierStep = z
  .object({
    threshold: int64().describe(thresholdText),
    rateBps: int32().optional(),
    amountCents: int64().optional(),
  })
  .openapi("CommissionTier");

export const tiersRecord = z
  .object({
    metric: z.enum(tierMetrics).describe(metricText),
    period: z.enum(tierPeriods).describe(periodText),
    steps: z.array(tierStep).readonly(),
  })
  .openapi("CommissionTiers");

const NewTier = z
  .strictObject(
    {
      threshold: fields.integer("tiers.steps.threshold", 1, maxAmountCents).describe(thresholdText),
      rateBps: fields
        .omittable(fields.integer("tiers.steps.rateBps", 0, 10_000))
        .describe("For `percent`: the rate in hundredths of a percent."),
      amountCents: fields
        .omittable(fields.integer("tiers.steps.amountCents", 0, maxAmountCents))
        .describe("For `flat`: the commission for a sale."),
    },
    "tiers.steps must be objects of known fields",
  )
  .openapi("NewCommissionTier");

const countRule = `tiers.steps must be an array of 1 to ${maxTierSteps} objects`;

/** Puts the fields in a fixed order, so that equal tiers have equal JSON. */
export const NewTiers = z
  .strictObject(
    {
      metric: fields.oneOf("tiers.metric", tierMetrics).describe(metricText),
      period: fields.oneOf("tiers.period", tierPeriods).describe(periodText),
      steps: z.array(NewTier, countRule).min(1, countRule).max(maxTierSteps, countRule),
    },
    "tiers must be an object of metric, period and steps",
  )
  .refine(...fields.rule(["steps"], "tiers.steps must have rising thresholds", isRising))
  .refine(
    ...fields.rule(
      ["steps"],
      `tiers.steps.threshold must be from ${minTierSales} to ${maxTierSales} when tiers.metric is sales`,
      isNumberOfSales,
    ),
  )
  .transform(
    ({ metric, period, steps }): Tiers => ({
      metric,
      period,
      steps: steps.map(({ threshold, rateBps, amountCents }) => ({
        threshold,
        ...(rateBps !== undefined && { rateBps }),
        ...(amountCents !== undefined && { amountCents }),
      })),
    }),
  )
  .openapi("NewCommissionTiers");

type Sent = Readonly<Record<string, unknown>>;

/** The type of `steps` isn't checked yet, because this rule also runs on invalid bodies. */
const stepsOf = ({ steps }: Sent): readonly Sent[] =>
  Array.isArray(steps) ? steps.filter((step): step is Sent => typeof step === "object" && step !== null) : [];

function isRising(tiers: Sent): boolean {
  const thresholds = stepsOf(tiers).map(({ threshold }) => Number(threshold));
  return thresholds.every((threshold, i) => i === 0 || !(threshold <= (thresholds[i - 1] ?? 0)));
}

function isNumberOfSales(tiers: Sent): boolean {
  if (tiers.metric !== "sales") return true;
  return stepsOf(tiers).every(
    ({ threshold }) => !(Number(threshold) < minTierSales || Number(threshold) > maxTierSales),
  );
}

/** True if each step has a rate for a percentage, or an amount for a flat commission. */
export function areOfType(type: string, tiers: unknown): boolean {
  if (typeof tiers !== "object" || tiers === null) return true;
  const [own, other] = type === "flat" ? ["amountCents", "rateBps"] : ["rateBps", "amountCents"];
  return stepsOf(tiers as Sent).every((step) => step[own] != null && step[other] == null);
}
