import { expect, test } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { Tributary, type TributaryOptions, type Warning } from "../../sdk/src/index.ts";
import { createProgramFixture, day, type ProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";

interface Integration {
  readonly shop: ProgramFixture;
  readonly tributary: Tributary;
  readonly warnings: Warning[];
}

async function integrate(settings?: WorldSettings, options: Partial<TributaryOptions> = {}): Promise<Integration> {
  const shop = await createProgramFixture(settings);
  const warnings: Warning[] = [];
  const onWarning = (warning: Warning) => void warnings.push(warning);
  const tributary = new Tributary({
    apiKey: shop.world.key,
    baseUrl: sharedService.url,
    onWarning,
    onError: () => {},
    ...options,
  });
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
    requestId: expect.stringMatching(/^\w{8,}$/),
    data: { success: true, clickId: expect.any(String), partnerCode: shop.alice.code, cookieWindowDays: 60 },
  });
  const clickId = click.data?.clickId ?? null;
  expect(await tributary.trackLead({ ...customer, clickId, email: "user@shop.example" })).toEqual({
    ok: true,
    status: 200,
    error: null,
    requestId: expect.any(String),
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
    requestId: expect.any(String),
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
    clickIds: [clickId],
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
      click_ids: [clickId],
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
    requestId: expect.any(String),
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
  const skipped = { ok: true, status: 0, error: null, data: null, requestId: null, skipped: true };
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
  const total = { invoiceId: "invoice-1", refundedTotal: 3_000, refundId: "charge" };
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
    requestId: expect.any(String),
    error: { name: "BadRequestError", details: { refundableCents: 6_000 } },
  });
  expect(await tributary.trackRefund({ invoiceId: "invoice-1" })).toMatchObject({
    ok: true,
    data: { status: "no_commission", refundedCents: 6_000, refundedTotalCents: 10_000 },
  });
});

test("totals of two charges add up, each by its own order", async () => {
  const { shop, tributary } = await integrate();
  const soldAt = new Date(Date.now() - 5 * day);
  const clickId = shop.click(shop.alice, soldAt.getTime() - day);
  await tributary.trackSale({ ...order, clickId, occurredAt: soldAt });
  const one = { invoiceId: "invoice-1", refundId: "charge-1" };
  const two = { invoiceId: "invoice-1", refundId: "charge-2" };
  const first = await tributary.trackRefund({
    ...one,
    refundedTotal: 3_000,
    occurredAt: new Date(soldAt.getTime() + 2 * day),
  });
  expect(first).toMatchObject({ ok: true, data: { refundedTotalCents: 3_000, commissionReversedCents: 600 } });
  expect(await tributary.trackRefund({ ...two, refundedTotal: 2_000 })).toMatchObject({
    ok: true,
    data: { status: "refunded", refundedCents: 2_000, refundedTotalCents: 5_000, commissionAmountCents: 1_000 },
  });
  expect(await tributary.trackRefund({ ...two, refundedTotal: 2_000 })).toMatchObject({
    data: { status: "skipped", reason: "already refunded" },
  });
  const late = { ...one, refundedTotal: 4_000, occurredAt: new Date(soldAt.getTime() + day) };
  expect(await tributary.trackRefund(late)).toMatchObject({ data: { status: "skipped", reason: "older" } });
  expect(await tributary.trackRefund({ ...one, amount: 3_000 })).toMatchObject({
    ok: false,
    status: 409,
    error: { details: { differences: expect.any(Array) } },
  });
});

test("a refund in the unit of the charge is scaled to the sale", async () => {
  const { shop, tributary } = await integrate();
  await tributary.trackSale({ ...order, clickId: shop.click(shop.alice) });
  const half = { invoiceId: "invoice-1", amount: 5_950, refundId: "half", chargeTotal: 11_900 };
  expect(await tributary.trackRefund(half)).toMatchObject({
    ok: true,
    data: { status: "refunded", refundedCents: 5_000, commissionReversedCents: 1_000 },
  });
  expect(await tributary.trackRefund({ ...half, chargeTotal: null })).toMatchObject({
    ok: false,
    status: 409,
    error: { details: { differences: expect.any(Array) } },
  });
  const rest = { invoiceId: "invoice-1", refundedTotal: 5_950, refundId: "rest", chargeTotal: 11_900 };
  expect(await tributary.trackRefund(rest)).toMatchObject({
    ok: true,
    data: { status: "reversed", refundedTotalCents: 10_000, commissionAmountCents: 0 },
  });
});

test("a canceled refund gives the commission back, and stays closed", async () => {
  const { shop, tributary } = await integrate();
  await tributary.trackSale({ ...order, clickId: shop.click(shop.alice) });
  const part = { invoiceId: "invoice-1", amount: 4_000, refundId: "failed" };
  const cancel = { invoiceId: "invoice-1", refundId: "failed", cancel: true } as const;
  await tributary.trackRefund(part);
  expect(await tributary.trackRefund(cancel)).toMatchObject({
    ok: true,
    status: 200,
    data: {
      status: "restored",
      refundedCents: -4_000,
      refundedTotalCents: 0,
      commissionReversedCents: -800,
      commissionAmountCents: 2_000,
    },
  });
  expect(await tributary.trackRefund(cancel)).toMatchObject({ ok: true, data: { status: "skipped" } });
  expect(await tributary.trackRefund(part)).toMatchObject({
    ok: true,
    data: { status: "skipped", reason: "canceled", refundedTotalCents: 0 },
  });
  expect(await tributary.trackRefund({ ...cancel, refundId: "to-come" })).toMatchObject({
    ok: true,
    data: { status: "restored", refundedCents: 0, message: expect.stringContaining("No refund with this refund_id") },
  });
});

test("a canceled total may fall to what is left of it, and rise again", async () => {
  const { shop, tributary } = await integrate();
  await tributary.trackSale({ ...order, clickId: shop.click(shop.alice) });
  const charge = { invoiceId: "invoice-1", refundId: "charge" };
  await tributary.trackRefund({ ...charge, refundedTotal: 4_000 });
  expect(await tributary.trackRefund({ ...charge, refundedTotal: 0, cancel: true })).toMatchObject({
    ok: true,
    data: { status: "restored", refundedTotalCents: 0, commissionAmountCents: 2_000 },
  });
  expect(await tributary.trackRefund({ ...charge, refundedTotal: 5_000 })).toMatchObject({
    ok: true,
    data: { status: "refunded", refundedTotalCents: 5_000, commissionAmountCents: 1_000 },
  });
});

test("a renewal that names its subscription alone belongs to the same customer", async () => {
  const { shop, tributary } = await integrate();
  await tributary.trackSale({ ...order, subscriptionId: "subscription-1", clickId: shop.click(shop.alice) });
  const renewal = { invoiceId: "invoice-2", amount: 5_000, isRecurring: true } as const;
  expect(await tributary.trackSale({ ...renewal, subscriptionId: "subscription-1" })).toMatchObject({
    ok: true,
    status: 200,
    data: { attributed: true, partnerCode: shop.alice.code, commission: { amountCents: 1_000 } },
  });
  expect(await tributary.trackSale({ ...renewal, invoiceId: "invoice-3", subscriptionId: "unknown" })).toMatchObject({
    ok: false,
    status: 400,
    retryable: false,
    error: { details: { unknownSubscriptionId: true } },
  });
});

test("a sale's earlier clicks count where the program pays the first", async () => {
  const { shop, tributary } = await integrate({ program: { attributionModel: "first_click" } });
  const clickIds = [shop.click(shop.alice, Date.now() - 3 * day), shop.click(shop.bob, Date.now() - day)];
  expect(await tributary.trackSale({ ...order, clickId: clickIds[1], clickIds })).toMatchObject({
    ok: true,
    data: { attributed: true, partnerCode: shop.alice.code },
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
  const retired = new Tributary({ apiKey: shop.world.keys[1] ?? "", baseUrl: sharedService.url, onError: () => {} });
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
  const tributary = new Tributary({ apiKey: "svc_1_nobodys", baseUrl: sharedService.url, onError: () => {} });
  expect(await tributary.trackLead(customer)).toMatchObject({
    ok: false,
    status: 401,
    retryable: false,
    error: { message: "Invalid API token" },
  });
});

test("the test book by methods of its own, apart from the real one", async () => {
  const { shop, tributary } = await integrate();
  const click = await tributary.trackClick({ affiliateUrl: shop.alice.landingUrl, testMode: true });
  const clickId = click.data?.clickId ?? null;
  const lead = await tributary.trackLead({ ...customer, clickId, testMode: true });
  expect(lead).toMatchObject({ ok: true, data: { attributed: true, data: { testMode: true } } });
  const sale = await tributary.trackTestSale(order);
  expect(sale).toMatchObject({ ok: true, data: { attributed: true, commission: { amountCents: 2_000 } } });
  expect(await tributary.trackTestSale(order)).toMatchObject({ ok: true, duplicate: true });
  const refund = { invoiceId: "invoice-1", refundId: "r" };
  expect(await tributary.trackRefund(refund)).toMatchObject({ ok: false, status: 404, retryable: true });
  expect(await tributary.trackRefund({ ...refund, testMode: true })).toMatchObject({
    ok: true,
    data: { status: "reversed" },
  });
  for (const table of ["clicks", "leads", "sales", "refunds"] as const) {
    expect(await shop.all(table)).toMatchObject([{ is_test: 1 }]);
  }
});

test("free texts of any shape are recorded, as far as they can be", async () => {
  const { shop, tributary, warnings } = await integrate();
  const productId = `${"x".repeat(254)}\u{1f600}`;
  expect(await tributary.trackSale({ ...order, productId, eventName: "first\nline" })).toMatchObject({ ok: true });
  expect(await tributary.trackRefund({ invoiceId: "invoice-1", reason: "late,\r\nand broken\u0000" })).toMatchObject({
    ok: true,
  });
  expect(await tributary.trackSale({ ...order, invoiceId: "invoice-2", eventName: "\n\t" })).toMatchObject({
    ok: true,
  });
  expect(await shop.all("sales")).toMatchObject([
    { product_id: `${"x".repeat(254)} `, event_name: "first line" },
    { event_name: null },
  ]);
  expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    "argument_left_out: sale.productId was cut",
    "argument_left_out: sale.eventName was cut",
    "argument_left_out: refund.reason was cut",
    "argument_left_out: sale.eventName was left out",
  ]);
});

test("a base address with the API's path in it says so, and its calls are for later", async () => {
  const { tributary } = await integrate(undefined, { baseUrl: `${sharedService.url}/api/v1` });
  const url = `${sharedService.url}/api/v1/api/v1`;
  expect(await tributary.trackSale(order)).toMatchObject({
    ok: false,
    status: 404,
    retryable: true,
    error: { name: "NotFoundError", message: `${url}/track/sale: Not found. Check baseUrl.` },
  });
  expect(await tributary.readiness()).toMatchObject({ ok: false, status: 404, retryable: true });
  const page = await integrate(undefined, { baseUrl: `${sharedService.url}/app` });
  expect(await page.tributary.trackSale(order)).toMatchObject({
    ok: false,
    status: 405,
    retryable: true,
    error: { message: `${sharedService.url}/app/api/v1/track/sale: Method not allowed. Check baseUrl.` },
  });
});
