import { expect, test } from "vitest";
import { version } from "../../sdk/package.json";
import { type FetchLike, type RefundInput, type SaleInput, Tributary, type Warning } from "../../sdk/src/index.ts";

/** Creates a client of a service with one response. Records bodies and headers. */
function clientOf(status: number, answer: object) {
  const bodies: unknown[] = [];
  const headers: unknown[] = [];
  const warnings: Warning[] = [];
  const fetch: FetchLike = async (_, { body, headers: sent }) => {
    bodies.push(JSON.parse(body ?? "null"));
    headers.push(sent);
    return {
      status,
      headers: new Headers({ "content-type": "application/json", "x-request-id": "request-1" }),
      text: async () => JSON.stringify(answer),
    };
  };
  const onWarning = (warning: Warning) => void warnings.push(warning);
  const options = { apiKey: "svc_1_secret", baseUrl: "https://tributary.example", fetch, onWarning, onError: () => {} };
  return { bodies, headers, warnings, tributary: new Tributary(options) };
}

const sale = { success: true, sale_id: 1, commission_id: 2 };
const refund = { ...sale, status: "reversed", refund_id: "r", refunded_cents: 1 };
const refused = (status: number, name: string, details: object) => ({
  data: null,
  error: { status, name, message: "No.", details },
});
const payment = { invoiceId: "i", amount: 4_900 };
const paid = { transaction_id: "i", amount_cents: 4_900 };

test.each<[SaleInput, object]>([
  [
    { ...payment, customerExternalId: "u", clickId: "b", clickIds: ["a", "b"], subscriptionId: "s" },
    { ...paid, customer_key: "u", click_id: "b", click_ids: ["a", "b"], subscription_id: "s" },
  ],
  [
    { ...payment, subscriptionId: "s", isRecurring: true },
    { ...paid, subscription_id: "s", is_recurring: true },
  ],
  [
    { ...payment, customerExternalId: "", subscriptionId: "s", clickId: null },
    { ...paid, subscription_id: "s" },
  ],
])("the sale %j is sent with its wire fields", async (input, body) => {
  const { bodies, tributary } = clientOf(200, sale);
  expect(await tributary.trackSale(input)).toMatchObject({ ok: true, data: { saleId: 1 } });
  expect(bodies).toEqual([body]);
});

test("texts are sent without outer white space, and cause no warning", { tags: "finding" }, async () => {
  const { bodies, warnings, tributary } = clientOf(200, { success: true, lead_id: 1 });
  await tributary.trackLead({ customerExternalId: " u\t", email: "\tmia@shop.example\r\n", clickId: "b\n" });
  expect([bodies, warnings]).toEqual([[{ customer_key: "u", email: "mia@shop.example", click_id: "b" }], []]);
});

test("the first ten valid coupon codes of a sale are sent", async () => {
  const { bodies, warnings, tributary } = clientOf(200, sale);
  const sell = (couponCodes: unknown) =>
    tributary.trackSale({ ...payment, customerExternalId: "u", couponCodes: couponCodes as string[] });
  const ten = Array.from({ length: 10 }, (_, i) => `CODE${i}`);
  await sell(["BEN10", "promo_1"]);
  await sell(null);
  expect(warnings).toEqual([]);
  await sell(["", " ", "A".repeat(65), undefined, 5, "a\nb", "\ud800", ...ten, "CODE11"]);
  await sell("BEN10");
  const body = { ...paid, customer_key: "u" };
  const codes = [["BEN10", "promo_1"], undefined, ten, undefined];
  expect(bodies).toEqual(codes.map((coupon_codes) => (coupon_codes ? { ...body, coupon_codes } : body)));
  expect(warnings.map(({ message }) => message)).toEqual(["sale.couponCodes was cut", "sale.couponCodes was left out"]);
});

test("test mode is sent in additional_data, together with the caller's other data", async () => {
  const { bodies, tributary } = clientOf(200, { ...refund, lead_id: 1, click_id: "c" });
  await tributary.trackTestSale({ ...payment, customerExternalId: "u", additionalData: { plan: "pro" } });
  await tributary.trackLead({ customerExternalId: "u", testMode: true });
  await tributary.trackLead({ customerExternalId: "u", testMode: false, additionalData: { plan: "pro" } });
  await tributary.trackRefund({ invoiceId: "i", testMode: true });
  await tributary.trackClick({ affiliateUrl: "https://x.example", eventId: "e", testMode: true });
  const additional_data = { test_mode: true };
  expect(bodies).toEqual([
    { ...paid, customer_key: "u", additional_data: { plan: "pro", test_mode: true } },
    { customer_key: "u", additional_data },
    { customer_key: "u", additional_data: { plan: "pro", test_mode: false } },
    { transaction_id: "i", additional_data },
    { affiliate_url: "https://x.example", event_id: "e", program_id: 1, additional_data },
  ]);
});

test("a call sends the SDK's name and version, and its result contains the request id", async () => {
  const { headers, tributary } = clientOf(200, refund);
  expect(await tributary.trackRefund({ invoiceId: "i" })).toMatchObject({ ok: true, requestId: "request-1" });
  expect(headers).toEqual([
    {
      authorization: "Bearer svc_1_secret",
      "content-type": "application/json",
      "user-agent": `tributary-sdk/${version}`,
    },
  ]);
  const refusing = clientOf(400, refused(400, "BadRequestError", {}));
  expect(await refusing.tributary.trackRefund({ invoiceId: "i" })).toMatchObject({ ok: false, requestId: "request-1" });
  const repeating = clientOf(409, refused(409, "ConflictError", { sale_id: 1, same_request: true, differences: [] }));
  expect(await repeating.tributary.trackSale({ ...payment, customerExternalId: "u" })).toMatchObject({
    ok: true,
    requestId: "request-1",
  });
});

const occurredAt = new Date("2026-03-05T10:00:00Z");

test.each<[RefundInput, object]>([
  [
    { invoiceId: "i", amount: 900, refundId: "re", chargeTotal: 5_831, cancel: false },
    { transaction_id: "i", refund_amount_cents: 900, refund_id: "re", charge_total_cents: 5_831, cancel: false },
  ],
  [
    { invoiceId: "i", refundedTotal: 900, refundId: "ch", chargeTotal: 5_831, occurredAt },
    {
      transaction_id: "i",
      refunded_total_cents: 900,
      refund_id: "ch",
      charge_total_cents: 5_831,
      occurred_at: "2026-03-05T10:00:00.000Z",
    },
  ],
  [
    { invoiceId: "i", refundId: "re", chargeTotal: 5_831 },
    { transaction_id: "i", refund_id: "re", charge_total_cents: 5_831 },
  ],
  [
    { invoiceId: "i", refundId: "re", cancel: true, reason: "failed" },
    { transaction_id: "i", refund_id: "re", cancel: true, refund_reason: "failed" },
  ],
  [
    { invoiceId: "i", refundId: "ch", cancel: true, refundedTotal: 0 },
    { transaction_id: "i", refund_id: "ch", cancel: true, refunded_total_cents: 0 },
  ],
])("the refund %j is sent with its wire fields", async (input, body) => {
  const { bodies, tributary } = clientOf(200, refund);
  expect(await tributary.trackRefund(input)).toMatchObject({ ok: true, status: 200, data: { refundId: "r" } });
  expect(bodies).toEqual([body]);
});

test("invalid click ids of a visitor are omitted from a sale", async () => {
  const { bodies, warnings, tributary } = clientOf(200, sale);
  const clickIds = JSON.parse('[{"$ne":1}]');
  await tributary.trackSale({ ...payment, customerExternalId: "u", clickIds });
  expect(bodies).toEqual([{ ...paid, customer_key: "u" }]);
  expect(warnings).toEqual([{ code: "argument_left_out", message: "sale.clickIds was left out" }]);
});

test("only the newest 20 click ids of a visitor are sent", async () => {
  const { bodies, warnings, tributary } = clientOf(200, sale);
  const clickIds = Array.from({ length: 2_000_000 }, (_, i) => `click-${i}`);
  await tributary.trackSale({ ...payment, customerExternalId: "u", clickIds });
  expect(bodies).toEqual([{ ...paid, customer_key: "u", click_ids: clickIds.slice(-20) }]);
  expect(warnings).toEqual([{ code: "argument_left_out", message: "sale.clickIds was cut" }]);
});

test("a visitor's value that is nested too deeply for JSON is omitted", async () => {
  const { bodies, warnings, tributary } = clientOf(200, sale);
  const deep = JSON.parse("[".repeat(7_000) + "]".repeat(7_000));
  await tributary.trackSale({ ...payment, customerExternalId: "u", clickId: deep, clickIds: [deep], productId: deep });
  expect(bodies).toEqual([{ ...paid, customer_key: "u" }]);
  expect(warnings).toHaveLength(3);
});

test("the result of a refund's cancellation is returned", async () => {
  const { tributary } = clientOf(200, {
    ...refund,
    status: "restored",
    reason: "one_time_used",
    refunded_cents: -900,
    commission_reversed_cents: 0,
  });
  const { data } = await tributary.trackRefund({ invoiceId: "i", refundId: "r", cancel: true });
  expect(data).toMatchObject({ status: "restored", reason: "one_time_used", refundedCents: -900 });
});

test("a sale for a subscription without an earlier sale is refused with the reason", async () => {
  const { bodies, tributary } = clientOf(400, refused(400, "BadRequestError", { unknown_subscription_id: true }));
  expect(await tributary.trackSale({ ...payment, subscriptionId: "s" })).toMatchObject({
    ok: false,
    status: 400,
    retryable: false,
    error: { name: "BadRequestError", details: { unknownSubscriptionId: true } },
  });
  expect(bodies).toHaveLength(1);
});

test("a refund that contradicts an earlier one is refused with the difference", async () => {
  const differences = ["charge_total_cents"];
  const { tributary } = clientOf(409, refused(409, "ConflictError", { differences }));
  expect(await tributary.trackRefund({ invoiceId: "i", refundId: "r", chargeTotal: 1 })).toMatchObject({
    ok: false,
    status: 409,
    retryable: false,
    error: { details: { differences } },
  });
});

test("a cancellation that is sent before its sale is retryable", async () => {
  const { tributary } = clientOf(404, refused(404, "NotFoundError", {}));
  expect(await tributary.trackRefund({ invoiceId: "i", refundId: "r", cancel: true })).toMatchObject({
    ok: false,
    status: 404,
    retryable: true,
  });
});
