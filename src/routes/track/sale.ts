import { createRoute, z } from "@hono/zod-openapi";
import type { ClickKeyRing } from "../../domain/click-id.ts";
import { clickKeysOf } from "../../env.ts";
import { answer, id, TestData, testAnswer, testTransactionId, warnings } from "../../http/answer.ts";
import { callLedger } from "../../http/call-ledger.ts";
import { body, faulty, ofAny, ofBody, ofKey, ok, refusals } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { occurredAtOf, refuseFaults } from "../../http/faults.ts";
import { refuse } from "../../http/refuse.ts";
import { Commission, commission } from "../../http/sale-summary.ts";
import * as wire from "../../http/wire.ts";
import type { Call, PresentedKey } from "../../operations/operation.ts";
import type { SaleAnswer, SaleCall } from "../../operations/record-sale.ts";
import { programKeyAndBody } from "../access.ts";
import { trackingStyle } from "./style.ts";
import { verifiedClick } from "./clicks.ts";

const messages = {
  transactionId: "transaction_id is required and must be a string",
  amountCents: "amount_cents is required and must be a positive integer",
  customer: "customer_key or click_id is required",
};

const SaleBody = z
  .object({
    transaction_id: wire.optional(wire.callerId("transaction_id", 255, messages.transactionId)),
    amount_cents: wire.optional(wire.amountCents("amount_cents", messages.amountCents)),
    customer_key: wire.optional(wire.callerId("customer_key")),
    click_id: wire.optionalText(wire.text("click_id")),
    currency: wire.optional(wire.currency("currency")),
    sale_type: wire.optional(z.enum(["payment", "subscription"], "sale_type must be payment or subscription")),
    is_recurring: wire.optional(wire.flag("is_recurring")),
    subscription_id: wire.optional(wire.callerId("subscription_id")),
    subscription_interval: wire.optional(
      z.enum(["monthly", "quarterly", "annual"], "subscription_interval must be monthly, quarterly or annual"),
    ),
    product_id: wire.optional(wire.callerId("product_id")),
    event_name: wire.optionalText(wire.text("event_name")),
    line_items: wire.json("line_items", 16),
    occurred_at: wire.optional(wire.occurredAt()),
    additional_data: wire.optional(wire.additionalData()),
  })
  .refine(...wire.liveNeeds(["transaction_id"], messages.transactionId))
  .refine(...wire.liveNeeds(["amount_cents"], messages.amountCents))
  .refine(...wire.liveNeeds(["customer_key", "click_id"], messages.customer))
  .openapi("Sale", { required: ["transaction_id", "amount_cents"] });

const SaleReply = z
  .object({
    success: z.literal(true),
    message: z.string(),
    data: TestData.optional(),
    sale_id: id("The sale."),
    commission_id: id("Its commission. Every sale has one."),
    attributed: z.boolean(),
    partner_code: z.string().optional(),
    reason: z.string().optional(),
    click_age_days: z.int().optional(),
    window_days: z.int().optional(),
    commission: Commission,
    ...warnings,
  })
  .openapi("SaleRecorded");

const style = trackingStyle("Sale");

export const sale = endpoint({
  route: createRoute({
  method: "post",
  path: "/sale",
  operationId: "trackSale",
  tags: ["Tracking"],
  summary: "Record a sale",
  description: "…",
  ...programKeyAndBody("sale"),
  request: { body: body(SaleBody, { sale: { value: { transaction_id: "in_1042", amount_cents: 4900, customer_key: "user_17" } } }) },
  responses: {
    ...ok("Recorded", SaleReply, {}),
    ...refusals(style, faulty("transaction_id", messages.transactionId), ...ofBody, "missing_key", ...ofKey, "duplicate_transaction", ...ofAny),
  },
}),
  hook: refuseFaults(SaleBody, 400),
  handler: async (c) => {
    const { key, call } = c.var;
    const sale = saleCall(c.req.valid("json"), key, call, clickKeysOf(c.env));
    const outcome = await callLedger(c, key, (ledger) => ledger.recordSale(sale));
    return outcome.ok ? answer(c, saleReply(outcome.answer, sale.isTest)) : refuse(c, outcome.refusal);
  },
});

const testAmountCents = 9999;

/** What a live call must have, the schema has seen to; the stand-ins are for test calls. */
const saleCall = (body: z.output<typeof SaleBody>, key: PresentedKey, call: Call, ring: ClickKeyRing): SaleCall => ({
  ...call,
  kind: "sale",
  isTest: wire.isTest(body),
  key,
  transactionId: body.transaction_id ?? testTransactionId(call),
  amountCents: body.amount_cents ?? testAmountCents,
  currency: body.currency,
  customerKey: body.customer_key,
  clickId: body.click_id,
  click: body.click_id === undefined ? undefined : verifiedClick(ring, body.click_id),
  saleType: body.sale_type ?? "payment",
  isRecurring: body.is_recurring ?? false,
  subscriptionId: body.subscription_id,
  subscriptionInterval: body.subscription_interval,
  productId: body.product_id,
  eventName: body.event_name ?? body.additional_data?.event_name,
  lineItems: body.line_items == null ? undefined : JSON.stringify(body.line_items),
  occurredAt: occurredAtOf(body.occurred_at, call.at),
  sentOccurredAt: body.occurred_at !== undefined,
});

const saleReply = (sale: SaleAnswer, isTest: boolean): z.output<typeof SaleReply> => ({
  success: true,
  message: sale.attributed ? "Sale tracked successfully" : "Sale recorded without attribution",
  ...(isTest ? testAnswer("sale", sale.saleId, sale.programId) : {}),
  sale_id: sale.saleId,
  commission_id: sale.commissionId,
  attributed: sale.attributed,
  partner_code: sale.partnerCode,
  reason: sale.reason ?? sale.commission.reason,
  click_age_days: sale.clickAgeDays,
  window_days: sale.windowDays,
  commission: commission(sale.commission),
});
