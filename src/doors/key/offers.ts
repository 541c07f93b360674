import { judgeOffer, OfferCouponIds, type OfferGiven } from "#api/offers.ts";
import { placeholderIn } from "#domain/caller-id.ts";
import { maxAmountCents } from "#domain/money.ts";
import { noDetails } from "#domain/sale-type.ts";
import { clickKeysOf } from "#env.ts";
import { verifiedClicks } from "#http/click-ids.ts";
import type { Ctx } from "#http/context.ts";
import { createRoute, endpoint, refuse, returns } from "#http/endpoint.ts";
import { reply, warnings } from "#http/reply.ts";
import { inSnakeCase, snakeSchema } from "#http/schema/camel-keys.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import type { JudgeFirstSaleCall } from "#operations/offers/judge-first-sale.ts";
import type { PresentedKey } from "#operations/operation.ts";
import { readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";

const Query = z.object({
  customer_key: fields
    .callerId("customer_key", 255, "customer_key is required")
    .describe("The customer's key, the same as in their lead and their sales."),
  click_id: fields
    .text("click_id")
    .trim()
    .optional()
    .describe("The visitor's click id, if you would send it with the sale."),
  test_mode: z
    .enum(["true", "false"], "test_mode must be true or false")
    .optional()
    .openapi({ description: "`true` uses the program's test events instead of the live ones. Defaults to `false`." }),
});
type Query = z.output<typeof Query>;

const Reply = z
  .object({
    offer: z
      .object({
        label: z.string(),
        coupon_ids: snakeSchema(OfferCouponIds).describe("The coupon to apply, by processor."),
      })
      .nullable(),
    partner_code: z.string().nullable().describe("Code of the partner to whom the sale would be attributed."),
    reason: z
      .string()
      .nullable()
      .describe(
        "Why there is no offer: `has_bought` (the customer already has a sale), `no_offer`, `offer_over`, or the reason why a sale would now be recorded without attribution or commission.",
      ),
    ...warnings,
  })
  .openapi("CustomerOffer");

export const getOffer = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/offer",
    operationId: "getOffer",
    tags: ["Program"],
    summary: "Get the offer for a customer's first purchase",
    description:
      "Decides as if `trackSale` were called now for the customer's first sale, but stores nothing. The customer gets the offer if that sale would be attributed to a partner and earn a commission. The decision assumes a sale in the program's currency, above any minimum and without a product. It isn't binding: the sale itself is decided when it is reported. A test key needs `test_mode=true`.",
    ...programKeyRequired("keyedOffer", "read"),
    request: { query: Query },
    responses: { ...returns("The offer", Reply), ...readRefusals("invalid_input", "placeholder_id") },
  }),
  handler: async (c) => {
    const judged = await judgeOffer(c, firstSale(c, c.get("key"), c.req.valid("query")));
    return judged.ok ? reply(c, offerGiven(judged.value)) : refuse(c, judged.refusal);
  },
});

/**
 * Creates a sale that is large enough for any policy's minimum. Its id begins with a space. It can't be the id of a
 * real sale, because ids in calls are trimmed.
 */
function firstSale(c: Ctx, key: PresentedKey, { customer_key, click_id, test_mode }: Query): JudgeFirstSaleCall {
  const call = c.get("call");
  const clickId = click_id || null;
  return {
    ...call,
    ...noDetails,
    kind: "judge-first-sale",
    key,
    isTest: test_mode === "true",
    transactionId: ` ${call.operationId}`,
    amountCents: maxAmountCents,
    currency: null,
    customerKey: customer_key,
    clickId,
    ...verifiedClicks(clickKeysOf(c.env), null, clickId),
    sentClickId: clickId !== null,
    occurredAt: call.at,
    sentOccurredAt: false,
    placeholder: placeholderIn({ customer_key }),
  };
}

const offerGiven = ({ offer, partnerCode, reason }: OfferGiven): z.output<typeof Reply> => ({
  offer: offer && { label: offer.label, coupon_ids: inSnakeCase(offer.couponIds) },
  partner_code: partnerCode,
  reason,
});
