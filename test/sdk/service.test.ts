import { expect, test } from "vitest";
import { Tributary, type TributaryOptions, type Warning } from "../../sdk/src/index.ts";
import { shared } from "../support/shared.ts";
import { day, openShop, type Shop } from "../support/shop.ts";
import type { WorldSettings } from "../support/world.ts";

interface Integration {
  readonly shop: Shop;
  readonly tributary: Tributary;
  readonly warnings: Warning[];
}

async function integrate(settings?: WorldSettings, options: Partial<TributaryOptions> = {}): Promise<Integration> {
  const shop = await openShop(settings);
  const warnings: Warning[] = [];
  const onWarning = (warning: Warning) => void warnings.push(warning);
  const tributary = new Tributary({ apiKey: shop.world.key, baseUrl: shared.url, onWarning, ...options });
  return { shop, tributary, warnings };
}

const customer = { customerExternalId: "user-1" } as const;
const order = { ...customer, amount: 10_000, invoiceId: "invoice-1" } as const;

test("a click, its lead, a sale and its refund", async () => {
  const { shop, tributary, warnings } = await integrate();
  const click = await tributary.trackClick({ affiliateUrl: shop.alice.landingUrl });
  expect(click).toEqual({
    ok: true,
    status: 200,
    error: null,
    data: { success: true, clickId: expect.any(String), partnerCode: shop.alice.code, cookieWindowDays: 60 },
  });
  const clickId = click.data?.clickId ?? null;
  expect(await tributary.trackLead({ ...customer, clickId, email: "user@shop.example" })).toEqual({
    ok: true,
    status: 200,
    error: null,
    data: {
      success: true,
      message: "Lead tracked successfully",
      attributed: true,
      leadId: expect.any(Number),
      partnerCode: shop.alice.code,
    },
  });
  const sale = await tributary.trackSale({ ...order, currency: "eur", saleType: "subscription", isRecurring: false });
  expect(sale).toEqual({
    ok: true,
    status: 200,
    error: null,
    data: {
      success: true,
      message: "Sale tracked successfully",
      saleId: expect.any(Number),
      commissionId: expect.any(Number),
      attributed: true,
      partnerCode: shop.alice.code,
      commission: {
        amountCents: 2_000,
        currency: "EUR",
        status: "pending",
        holdUntil: expect.any(String),
        unconfirmed: false,
      },
    },
  });
  const refund = await tributary.trackRefund({ invoiceId: "invoice-1", amount: 4_000, refundId: "refund-1" });
  expect(refund).toMatchObject({ ok: true, status: 200, data: { status: "refunded", commissionReversedCents: 800 } });
  expect(warnings).toEqual([]);
});

test("every field arrives under its wire name", async () => {
  const bodies: Record<string, unknown>[] = [];
  const { shop, tributary } = await integrate(undefined, {
    fetch: (url, init) => {
      bodies.push(JSON.parse(init.body ?? "null"));
      return fetch(url, init);
    },
  });
  const occurredAt = new Date(Date.now() - day);
  const clickId = shop.click(shop.alice, Date.now() - 2 * day);
  const lead = {
    ...customer,
    clickId,
    clickIds: [clickId],
    email: "user@shop.example",
    sessionId: "session-1",
    pageUrl: "https://shop.example/join",
    programId: shop.world.programId,
    occurredAt,
    additionalData: { plan: "pro" },
  };
  expect(await tributary.trackLead(lead)).toMatchObject({ ok: true, data: { attributed: true } });
  const sale = {
    ...order,
    currency: "USD",
    clickId,
    occurredAt: occurredAt.toISOString(),
    saleType: "subscription",
    isRecurring: true,
    subscriptionId: "subscription-1",
    subscriptionInterval: "monthly",
    productId: "product-1",
    eventName: "renewal",
    lineItems: [{ sku: 1 }],
    additionalData: { plan: "pro" },
  } as const;
  expect(await tributary.trackSale(sale)).toMatchObject({ ok: true });
  const refund = { invoiceId: "invoice-1", refundedTotal: 1, refundId: "r", reason: "gift", occurredAt } as const;
  expect(await tributary.trackRefund(refund)).toMatchObject({ ok: true, data: { refundedCents: 1, refundId: "r" } });
  const click = {
    affiliateUrl: shop.alice.landingUrl,
    eventId: "event-1",
    pageUrl: "https://shop.example/",
    referrerUrl: "https://blog.example/",
    sessionId: "session-1",
    userAgent: "Mozilla/5.0",
    language: "en",
    existingClickId: clickId,
    occurredAt,
    additionalData: {},
  };
  expect(await tributary.trackClick(click)).toMatchObject({ ok: true });

  const at = occurredAt.toISOString();
  expect(bodies).toEqual([
    {
      customer_key: "user-1",
      click_id: clickId,
      click_ids: [clickId],
      email: "user@shop.example",
      session_id: "session-1",
      page_url: "https://shop.example/join",
      program_id: shop.world.programId,
      occurred_at: at,
      additional_data: { plan: "pro" },
    },
    {
      customer_key: "user-1",
      amount_cents: 10_000,
      transaction_id: "invoice-1",
      currency: "USD",
      click_id: clickId,
      occurred_at: at,
      sale_type: "subscription",
      is_recurring: true,
      subscription_id: "subscription-1",
      subscription_interval: "monthly",
      product_id: "product-1",
      event_name: "renewal",
      line_items: [{ sku: 1 }],
      additional_data: { plan: "pro" },
    },
    { transaction_id: "invoice-1", refunded_total_cents: 1, refund_id: "r", refund_reason: "gift", occurred_at: at },
    {
      affiliate_url: shop.alice.landingUrl,
      program_id: shop.world.programId,
      event_id: "event-1",
      page_url: "https://shop.example/",
      referrer_url: "https://blog.example/",
      session_id: "session-1",
      user_agent: "Mozilla/5.0",
      language: "en",
      existing_click_id: clickId,
      occurred_at: at,
      additional_data: {},
    },
  ]);
});

test("a lead without a click, and with a stale one, is recorded", async () => {
  const { shop, tributary } = await integrate();
  expect(await tributary.trackLead({ ...customer, clickId: null })).toMatchObject({
    ok: true,
    data: { attributed: false, reason: "no_click" },
  });
  expect(await tributary.trackLead({ customerExternalId: "user-2", clickId: "stale" })).toMatchObject({
    ok: true,
    data: { attributed: false, reason: "invalid_click_id" },
  });
  expect(await shop.all("leads")).toHaveLength(2);
});

test("a visitor's rubbish never costs a sign-up", async () => {
  const { shop, tributary, warnings } = await integrate();
  const rubbish = JSON.parse(
    '{"clickId":{"$ne":1},"clickIds":"x","email":["a"],"sessionId":"\\u0000","pageUrl":"android-app://x"}',
  );
  expect(await tributary.trackLead({ ...customer, ...rubbish })).toMatchObject({
    ok: true,
    data: { attributed: false },
  });
  expect(await tributary.trackLead({ customerExternalId: "user-2", email: "x".repeat(300) })).toMatchObject({
    ok: true,
  });
  expect(await shop.all("leads")).toHaveLength(2);
  expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual(
    ["clickId", "clickIds", "email", "sessionId", "pageUrl"].map(
      (name) => `argument_left_out: lead.${name} was left out`,
    ),
  );
});

test("a repeated sale is ok, with the first call's ids; another under its id is a conflict too", async () => {
  const { tributary, warnings } = await integrate();
  const first = await tributary.trackSale(order);
  expect(await tributary.trackSale(order)).toEqual({
    ok: true,
    status: 409,
    error: null,
    duplicate: true,
    data: {
      saleId: first.data?.saleId,
      commissionId: first.data?.commissionId,
      attributed: false,
      partnerCode: null,
      commission: expect.objectContaining({ status: "void", amountCents: 0 }),
      sameRequest: true,
      differences: [],
    },
  });
  expect(warnings).toEqual([]);
  const other = { ...order, amount: 9_000, currency: "USD" };
  expect(await tributary.trackSale(other)).toMatchObject({
    ok: true,
    duplicate: true,
    conflict: true,
    data: { saleId: first.data?.saleId, sameRequest: false, differences: ["amount_cents", "currency"] },
  });
  const message = "sale invoice-1 was recorded with another amount_cents,currency";
  expect(warnings).toEqual([{ code: "sale_conflict", message }]);
});

test("nothing is sent of an amount of 0", async () => {
  const { shop, tributary } = await integrate();
  const skipped = { ok: true, status: 0, error: null, data: null, skipped: true };
  expect(await tributary.trackSale({ ...order, amount: 0 })).toEqual(skipped);
  expect(await tributary.trackRefund({ invoiceId: "invoice-1", refundedTotal: 0 })).toEqual(skipped);
  expect(await tributary.trackRefund({ invoiceId: "invoice-1", amount: 0, refundId: "r" })).toEqual(skipped);
  expect(await shop.all("sales")).toEqual([]);
});

test("refunds by running total, in full, repeated, in conflict, above the sale, and ahead of it", async () => {
  const { tributary } = await integrate();
  const ahead = await tributary.trackRefund({ invoiceId: "invoice-1" });
  expect(ahead).toMatchObject({ ok: false, status: 404, retryable: true });
  expect(ahead.error?.message).toBe("Sale not found for transaction_id");
  await tributary.trackSale(order);
  const total = { invoiceId: "invoice-1", refundedTotal: 3_000 };
  expect(await tributary.trackRefund(total)).toMatchObject({ ok: true, data: { refundedCents: 3_000 } });
  expect(await tributary.trackRefund(total)).toMatchObject({ ok: true, data: { status: "skipped" } });
  const part = { invoiceId: "invoice-1", amount: 1_000, refundId: "part" };
  expect(await tributary.trackRefund(part)).toMatchObject({ ok: true, data: { refundedTotalCents: 4_000 } });
  expect(await tributary.trackRefund({ ...part, amount: 2_000 })).toMatchObject({
    ok: false,
    status: 409,
    retryable: false,
    error: { details: { differences: ["refund_amount_cents"] } },
  });
  expect(await tributary.trackRefund({ ...part, amount: 7_000, refundId: "b" })).toMatchObject({
    ok: false,
    status: 400,
    retryable: false,
    error: { name: "BadRequestError", details: { refundableCents: 6_000 }, requestId: expect.any(String) },
  });
  expect(await tributary.trackRefund({ invoiceId: "invoice-1" })).toMatchObject({
    ok: true,
    data: { status: "no_commission", refundedCents: 6_000, refundedTotalCents: 10_000 },
  });
});

test("a click on an inactive link is no success, and not to be sent again", async () => {
  const { shop, tributary } = await integrate({ partners: [{ status: "paused" }, {}] });
  expect(await tributary.trackClick({ affiliateUrl: shop.alice.landingUrl })).toMatchObject({
    ok: false,
    status: 200,
    retryable: false,
    error: { name: "InactiveLinkError", message: "Referral link is inactive" },
  });
});

test("a refusal says which field and why", async () => {
  const { tributary } = await integrate();
  const result = await tributary.trackSale({ ...order, currency: "XXX" });
  expect(result).toMatchObject({
    ok: false,
    status: 400,
    retryable: false,
    error: {
      name: "BadRequestError",
      message: "currency must be an ISO 4217 currency code",
      details: { errors: [{ path: ["currency"] }] },
    },
  });
});

test("test mode for leads, clicks and refunds", async () => {
  const { shop, tributary } = await integrate();
  const additionalData = { test_mode: true };
  expect(await tributary.trackLead({ ...customer, additionalData })).toMatchObject({
    ok: true,
    data: { data: { testMode: true, programId: shop.world.programId } },
  });
  const click = await tributary.trackClick({ affiliateUrl: shop.alice.landingUrl, additionalData });
  expect(click).toMatchObject({ ok: true, data: { data: { testMode: true } } });
  await shop.api.sale({ transaction_id: "t", additional_data: additionalData }, { key: shop.world.key });
  expect(await tributary.trackRefund({ invoiceId: "t", additionalData })).toMatchObject({ ok: true });
});

test("readiness and the verification chain", async () => {
  const { shop, tributary } = await integrate();
  expect(await tributary.readiness()).toMatchObject({
    ok: true,
    data: { programId: shop.world.programId, blocker: "tracking", counts24h: { clicks: 0 } },
  });
  expect(await tributary.runVerification()).toMatchObject({
    ok: true,
    data: { data: { attributed: true, verdict: { sale: "attributed" }, steps: [{ httpStatus: 200 }, {}, {}] } },
  });
});

test("a key that is being replaced is told of once, on successes and refusals; a retired one is refused", async () => {
  const keys = [{ retiresAt: Date.now() + day }, { retiresAt: Date.now() - day }];
  const { shop, tributary, warnings } = await integrate({ keys });
  expect(await tributary.trackSale({ ...order, currency: "XXX" })).toMatchObject({ ok: false });
  expect(await tributary.trackSale(order)).toMatchObject({ ok: true });
  expect(await tributary.readiness()).toMatchObject({ ok: true });
  const by = new Date(Date.now() + day).toISOString().slice(0, 10);
  expect(warnings).toEqual([{ code: "api_key_rotation_required", message: `This API key must be replaced by ${by}.` }]);
  const retired = new Tributary({ apiKey: shop.world.keys[1] ?? "", baseUrl: shared.url });
  expect(await retired.trackSale(order)).toMatchObject({
    ok: false,
    status: 401,
    retryable: false,
    error: {
      name: "api_key_rotation_required",
      details: { hint: expect.any(String), docsUrl: expect.any(String) },
    },
  });
});

test("a wrong key", async () => {
  const tributary = new Tributary({ apiKey: "svc_1_nobodys", baseUrl: shared.url });
  expect(await tributary.trackLead(customer)).toMatchObject({
    ok: false,
    status: 401,
    retryable: false,
    error: { message: "Invalid API token" },
  });
});
