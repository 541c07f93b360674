import { dayIn } from "#domain/calendar.ts";
import { type EstimateTerms, estimate, maxPayments } from "#domain/estimate.ts";
import { estimateSteps } from "#domain/explain/estimate-steps.ts";
import { programStatus } from "#domain/program-status.ts";
import { ok, type Result } from "#domain/result.ts";
import { subscriptionIntervals } from "#domain/sale-type.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int32, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { readOne } from "#store/database.ts";
import type { OwnPartner } from "#store/own-partner.ts";
import type { ProgramRow } from "#store/programs.ts";
import { policyOfNewcomer, policyWithStep } from "#store/views/policy-now.ts";
import type { Embedded } from "./embed-overview.ts";
import { readFromDatabase } from "./read-database.ts";
import { unitRecord } from "./units.ts";

/** The join page doesn't reveal which products have other terms, so it has no `productId`. */
export const JoinPageEstimate = z
  .object({
    amountCents: fields.amountCents("amountCents").describe("Amount of each payment in the currency's smallest unit."),
    currency: fields.currency("currency").describe("ISO 4217 code of the payments' currency."),
    interval: fields
      .optional(fields.oneOf("interval", subscriptionIntervals))
      .describe(
        "Interval of the subscription. If omitted, the payments belong to no subscription and are a month apart.",
      ),
    months: fields
      .integer("months", 1, maxPayments)
      .default(1)
      .describe("Number of payments, from the customer's first one on. The second and later ones are renewals."),
  })
  .openapi("JoinPageEstimate");

export const NewEstimate = JoinPageEstimate.extend({
  productId: fields.optional(fields.callerId("productId")).describe("Product that the payments are for."),
}).openapi("NewEstimate");

type Asked = z.output<typeof JoinPageEstimate> & Partial<Pick<z.output<typeof NewEstimate>, "productId">>;

const cents = (description: string) => int64().describe(description);

export const EstimateReply = z.object({
  data: z
    .object({
      amounts: z
        .array(
          z.object({
            month: int32().describe("Month of the payment. The first payment is in month 1."),
            amountCents: cents("Commission for the payment, in the smallest unit of `currency`."),
          }),
        )
        .describe("Commission for each payment. 0 if the payment earns none."),
      currency: z.string().describe("Currency or unit of the amounts."),
      unit: unitRecord.schema.nullable().describe("Unit of the amounts. Null if they are in a currency."),
      steps: z
        .array(
          z.object({
            month: int32().describe("Month of the first payment with this step."),
            text: z.string(),
            cents: cents("Amount after the step."),
            currency: z.string().describe("Currency or unit of `cents`."),
          }),
        )
        .describe(
          "The arithmetic, step by step. The steps of a month also apply to later payments, until a month has steps of its own.",
        ),
    })
    .openapi("Estimate"),
});
type EstimateReply = z.output<typeof EstimateReply>;

/** Computes the commission of each payment as if it were a sale. Stores nothing. */
export function estimateReply(terms: EstimateTerms, asked: Asked, at: number): EstimateReply {
  const { amountCents, currency, interval, months: count, productId = null } = asked;
  const payments = { amountCents, currency, interval, productId, count, from: at };
  const estimated = estimate(terms, payments);
  const { unit } = estimated;
  return {
    data: {
      amounts: estimated.payments.map(({ month, earning }) => ({
        month,
        amountCents: earning.due ? earning.amountCents : 0,
      })),
      currency: estimated.currency,
      unit: unit && unitRecord.reply(unit),
      steps: [...estimateSteps(estimated, payments, terms.timezone)],
    },
  };
}

/** The terms of a new partner, who has no sales. Partner 0 doesn't exist. */
export const termsOfNewcomer = (policy: EstimateTerms["policy"], program: ProgramRow): EstimateTerms => ({
  partnerId: 0,
  partnerActive: true,
  programActive: programStatus(program) === "active",
  policy,
  step: undefined,
  counts: [],
  currency: program.currency,
  timezone: program.timezone,
});

/** Makes one database request. */
export async function estimateOfPartner(c: Ctx, partner: OwnPartner, asked: Asked): Promise<Result<EstimateReply>> {
  const { programId, partnerId, currency, timezone, isPartnerActive, isProgramActive } = partner;
  const { at } = c.get("call");
  const of = { programId, partnerId, at, today: dayIn(timezone, at) };
  const found = await readFromDatabase(c, "program", (database) => readOne(database, policyWithStep(of)));
  if (!found.ok) return found;
  const { value: policy } = found;
  const terms = {
    partnerId,
    partnerActive: isPartnerActive,
    programActive: isProgramActive,
    policy,
    step: policy?.step ?? undefined,
    counts: policy?.counts ?? [],
    currency,
    timezone,
  };
  return ok(estimateReply(terms, asked, at));
}

/** Makes one database request. Until the user creates a link, uses the terms for a new partner in the token's group. */
export async function estimateOfUser(
  c: Ctx,
  { program, partner, token }: Embedded,
  asked: Asked,
): Promise<Result<EstimateReply>> {
  if (partner !== undefined) return estimateOfPartner(c, partner, asked);
  const { at } = c.get("call");
  const of = { programId: program.id, groupId: token.groupId, at };
  const found = await readFromDatabase(c, "program", (database) => readOne(database, policyOfNewcomer(of)));
  return found.ok ? ok(estimateReply(termsOfNewcomer(found.value, program), asked, at)) : found;
}
