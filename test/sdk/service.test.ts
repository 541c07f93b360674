import { expect, test } from "vitest";
import { day } from "../support/program-fixture.ts";
import { customer, integrate, order } from "./integration.ts";

test("a click, its lead, a sale and its refund are recorded", async () => {
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
      isRecurring: false,
      attributed: true,
      partnerCode: shop.alice.code,
      source: "click",
      commission: {
        amountCents: 2_000,
        currency: "EUR",
        status: "pending",
        holdUntil: expect.any(String),
        unconfirmed: false,
        held: false,
      },
    },
  });
  const refund = await tributary.trackRefund({ invoiceId: "invoice-1", amount: 4_000, refundId: "refund-1" });
  expect(refund).toMatchObject({ ok: true, status: 200, data: { status: "refunded", commissionReversedCents: 800 } });
  expect(warnings).toEqual([]);
});

test("every field is sent under its wire name", async () => {
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
    items: [
      { productId: "product-1", amount: 9_000, quantity: 3 },
      { productId: "product-2", amount: 1_000, itemId: "second" },
    ],
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
      items: [
        { product_id: "product-1", amount_cents: 9_000, quantity: 3 },
        { product_id: "product-2", amount_cents: 1_000, item_id: "second" },
      ],
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

test("a lead without a click or with an invalid click is recorded", async () => {
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

test("a visitor's invalid values never prevent the recording of a sign-up", async () => {
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

test("a repeated sale succeeds with the first call's ids, and a different sale with the same id is a conflict", async () => {
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
      isRecurring: false,
      attributed: false,
      partnerCode: null,
      source: null,
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

test("a renewal that contains only its subscription is recorded for the same customer", async () => {
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

test("a sale is attributed to the first of its visitor's clicks if the program uses first_click", async () => {
  const { shop, tributary } = await integrate({ program: { attributionModel: "first_click" } });
  const clickIds = [shop.click(shop.alice, Date.now() - 3 * day), shop.click(shop.bob, Date.now() - day)];
  expect(await tributary.trackSale({ ...order, clickId: clickIds[1], clickIds })).toMatchObject({
    ok: true,
    data: { attributed: true, partnerCode: shop.alice.code },
  });
});

test("test mode works for leads, clicks and refunds", async () => {
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

test("readiness and the verification test work", async () => {
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

test("trackTestSale and testMode use only the test book", async () => {
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

test("free texts are recorded, shortened if too long, or omitted if invalid", async () => {
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
    { product_id: "x".repeat(254), event_name: "first line" },
    { event_name: null },
  ]);
  expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    "argument_left_out: sale.productId was cut",
    "argument_left_out: sale.eventName was cut",
    "argument_left_out: refund.reason was cut",
    "argument_left_out: sale.eventName was left out",
  ]);
});
