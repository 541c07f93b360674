import { placeholderIn } from "#domain/caller-id.ts";
import type { ClickKeyRing } from "#domain/click-id.ts";
import { maxCouponsPerSale } from "#domain/coupons.ts";
import { saleTypes, subscriptionIntervals } from "#domain/sale-type.ts";
import { programKeyRequired } from "#doors/key/guards.ts";
import { clickKeysOf } from "#env.ts";
import { callLedger } from "#http/call-ledger.ts";
import { verifiedClicks } from "#http/click-ids.ts";
import { CommissionReply, commissionReply } from "#http/commission-reply.ts";
import { trackingStyle } from "#http/refusal/tracking-style.ts";
import { reply, warnings } from "#http/reply.ts";
import { sourceIfAny } from "#http/schema/attribution-source.ts";
import * as fields from "#http/schema/fields.ts";
import { id, int32 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { TestData, testReply } from "#http/test-mode.ts";
import {
  body,
  bodyRefusals,
  commonRefusals,
  createRoute,
  endpoint,
  keyRefusals,
  refusals,
  refuse,
  refuseAfterKeyCheck,
  refuseInvalid,
  returns,
  withJsonBody,
} from "#http/tracking-endpoint.ts";
import type { Call, PresentedKey } from "#operations/operation.ts";
import type { SaleAnswer, SaleCall } from "#operations/track/sale.ts";
import { couponCodes } from "./coupon-codes.ts";
import { items, sumOfItems } from "./items.ts";

const noTransaction = "transaction_id is required and must be a string";
const noAmount = "amount_cents is required and must be a positive integer";
const noCustomer = "customer_key or click_id is required";

const SaleBody = z
  .object({
    transaction_id: fields
      .callerId("transaction_id", 255, noTransaction)
      .describe("Your id for this payment. It is recorded only once."),
    amount_cents: fields
      .optional(fields.amountCents("amount_cents", noAmount))
      .describe("Amount in the currency's smallest unit. Optional in test mode."),
    customer_key: fields
      .optional(fields.callerId("customer_key"))
      .describe("The customer's key, the same as in their lead. Send this or `click_id`; the key takes precedence."),
    click_id: fields
      .clickId()
      .describe(
        "Click id, used if the customer is unknown, not attributed, or attributed only by a browser's report or a coupon.",
      ),
    click_ids: fields.clickIds(),
    currency: fields
      .optional(fields.currency("currency"))
      .describe("ISO 4217 code. Defaults to the program's currency."),
    sale_type: fields
      .optional(z.enum(saleTypes, "sale_type must be payment or subscription"))
      .describe("Defaults to `payment`."),
    is_recurring: fields
      .optional(z.union([z.boolean(), z.literal("auto")], 'is_recurring must be true, false or "auto"'))
      .describe(
        "True for a renewal. Defaults to `false`. `auto` is decided when the sale is recorded: true if its `subscription_id` was imported, or has another sale with the same or an earlier `occurred_at`; otherwise false.",
      ),
    subscription_id: fields
      .optional(fields.callerId("subscription_id"))
      .describe(
        "Identifies the customer if `customer_key` is unknown, or if it and `click_id` are absent: the customer of the newest sale with this id or, if there is none, the customer imported with it.",
      ),
    subscription_interval: fields.optional(
      z.enum(subscriptionIntervals, "subscription_interval must be monthly, quarterly or annual"),
    ),
    product_id: fields.optional(fields.callerId("product_id")),
    event_name: fields.optionalText(fields.text("event_name")),
    line_items: fields.json("line_items", 16).describe("Any JSON, up to 16 KiB."),
    items: fields
      .optional(items)
      .describe(
        "Products sold, for commission policies with rules by product. The amounts must add up to `amount_cents`. Without items, the sale counts as one item with its `product_id`.",
      ),
    coupon_codes: couponCodes.describe(
      `Coupon codes used in the sale, at most ${maxCouponsPerSale}. The first valid one attributes a new customer who came ` +
        "without a click. Unknown codes are stored.",
    ),
    occurred_at: fields.optional(fields.occurredAt()).describe("Time of the sale, at most 400 days ago."),
    additional_data: fields.optional(fields.additionalData()),
  })
  .refine(...fields.requiredUnlessTest(["amount_cents"], noAmount))
  .refine(...fields.requiredUnlessTest(["customer_key", "click_id", "subscription_id"], noCustomer))
  .openapi("Sale", { required: ["transaction_id", "amount_cents"] });
type SaleBody = z.output<typeof SaleBody>;

/** In test mode, `amount_cents` may be absent. */
const itemsAddUp = ({ items, amount_cents }: SaleBody): boolean =>
  items === null || sumOfItems(items) === (amount_cents ?? testAmountCents);

const SaleReply = z
  .object({
    success: z.literal(true),
    message: z.string(),
    data: TestData.optional(),
    sale_id: id().describe("Id of the sale."),
    commission_id: id().describe("Id of the sale's commission. Every sale has one."),
    is_recurring: z.boolean().describe("True for a renewal: the value sent or, for `auto`, the service's decision."),
    attributed: z.boolean(),
    partner_code: z.string().optional(),
    source: sourceIfAny,
    reason: z.string().optional().describe("Reason why the sale was not attributed or earned no commission."),
    click_age_days: int32().optional(),
    window_days: int32().optional(),
    commission: CommissionReply,
    ...warnings,
  })
  .openapi("SaleRecorded");

export const sale = endpoint({
  route: createRoute({
    method: "post",
    path: "/sale",
    operationId: "trackSale",
    tags: ["Tracking"],
    summary: "Record a sale and create its commission",
    description:
      "Report every payment: a sale without a partner is recorded, not refused. Sending the same `transaction_id` again " +
      "returns 409 with the recorded sale and its commission as they are now.",
    ...withJsonBody(programKeyRequired("sale", "track")),
    request: { body: body(SaleBody) },
    responses: {
      ...returns("Sale recorded", SaleReply),
      ...refusals(
        [
          "missing_key",
          ...keyRefusals,
          ...bodyRefusals,
          "items_sum",
          "placeholder_id",
          "unknown_subscription",
          "duplicate_transaction",
          ...commonRefusals,
        ],
        trackingStyle("Sale"),
      ),
    },
  }),
  hook: refuseInvalid(SaleBody, 400),
  handler: async (c) => {
    const body = c.req.valid("json");
    if (!itemsAddUp(body)) return refuseAfterKeyCheck(c, { code: "items_sum" });
    const sale = saleCall(body, c.get("call"), c.get("key"), clickKeysOf(c.env));
    const outcome = await callLedger(c, sale.key, (ledger) => ledger.run(sale));
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const { attributed, reason } = outcome.answer;
    if (!attributed) c.get("log").noted = { outcome: "unattributed", code: reason ?? null };
    return reply(c, saleReply(outcome.answer, sale.isTest));
  },
});

const testAmountCents = 9999;

/** The default amount is used only in test mode, because the schema requires an amount for a live sale. */
const saleCall = (body: SaleBody, call: Call, key: PresentedKey, ring: ClickKeyRing): SaleCall => ({
  ...call,
  kind: "sale",
  isTest: fields.isTest(body),
  key,
  transactionId: body.transaction_id,
  amountCents: body.amount_cents ?? testAmountCents,
  currency: body.currency,
  customerKey: body.customer_key,
  clickId: body.click_id,
  ...verifiedClicks(ring, body.click_ids, body.click_id),
  sentClickId: body.click_id !== null || body.click_ids !== null,
  saleType: body.sale_type ?? "payment",
  isRecurring: body.is_recurring ?? false,
  subscriptionId: body.subscription_id,
  subscriptionInterval: body.subscription_interval,
  productId: body.product_id,
  eventName: body.event_name ?? body.additional_data?.event_name ?? null,
  lineItems: body.line_items == null ? null : JSON.stringify(body.line_items),
  items: body.items === null ? null : JSON.stringify(body.items),
  coupons: null,
  couponCodes: body.coupon_codes ?? [],
  occurredAt: fields.occurredAtOf(body.occurred_at, call.at),
  sentOccurredAt: body.occurred_at !== null,
  placeholder: placeholderOf(body),
});

const placeholderOf = ({ transaction_id, customer_key, subscription_id }: SaleBody): string | undefined =>
  placeholderIn({ transaction_id, customer_key, subscription_id });

const saleReply = (sale: SaleAnswer, isTest: boolean): z.output<typeof SaleReply> => ({
  success: true,
  message: sale.attributed ? "Sale tracked successfully" : "Sale recorded without attribution",
  ...(isTest && testReply("sale", sale.saleId, sale.programId)),
  sale_id: sale.saleId,
  commission_id: sale.commissionId,
  is_recurring: sale.isRecurring,
  attributed: sale.attributed,
  partner_code: sale.partnerCode,
  source: sale.source,
  reason: sale.reason ?? sale.commission.reason,
  click_age_days: sale.clickAgeDays,
  window_days: sale.windowDays,
  commission: commissionReply(sale.commission),
});
