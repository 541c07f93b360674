import { describe, expect, test } from "vitest";
import { mintClickId, parseClickKeyRing } from "#domain/click-id.ts";
import { clickKeys, key, programId, service } from "./service.ts";

const click = { affiliate_url: "https://shop.example/?aff=Anna" };
const sale = { transaction_id: "t1", amount_cents: 100, customer_key: "u1" };
const inTest = { additional_data: { test_mode: true } };

function mint(at: number, isTest = false): string {
  const ring = parseClickKeyRing(clickKeys);
  if (ring === undefined) throw new Error("the key ring of the tests is not one");
  return mintClickId(ring, { programId, isTest, linkId: 4, at }, "0123456789abcdef");
}

describe("every call to the Ledger", () => {
  test("every call to the Ledger has a unique operation id, and the instant of the call", async () => {
    const { sale: send, calls } = service();
    const before = Date.now();
    await send(sale);
    await send(sale);
    const [first, second] = calls;
    expect(first?.operationId).toMatch(/^[0-9a-f]{16}$/);
    expect(second?.operationId).not.toBe(first?.operationId);
    expect(first?.at).toBeGreaterThanOrEqual(before);
    expect(first?.at).toBeLessThanOrEqual(Date.now());
  });

  test("every call to the Ledger has the occurred_at that was sent, or the instant of the call if this instant is earlier", async () => {
    const { sale: send, calls } = service();
    const dayBefore = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await send({ ...sale, occurred_at: `${dayBefore}T12:00:00+02:00` });
    await send({ ...sale, occurred_at: new Date(Date.now() + 4 * 60_000).toISOString() });
    await send(sale);
    expect(calls[0]).toMatchObject({ occurredAt: Date.parse(`${dayBefore}T10:00:00Z`), sentOccurredAt: true });
    expect(calls[1]).toMatchObject({ occurredAt: calls[1]?.at, sentOccurredAt: true });
    expect(calls[2]).toMatchObject({ occurredAt: calls[2]?.at, sentOccurredAt: false });
  });
});

describe("a click call to the Ledger", () => {
  test("a click call to the Ledger has the link, and the page's data without personal details", async () => {
    const { click: send, calls } = service();
    await send({
      ...click,
      program_id: "7",
      event_id: "e1",
      existing_click_id: "c0",
      page_url: "https://shop.example/p?aff=a&token=secret&utm_source=x&utm_medium=y&email=me%40x.example#part",
      referrer_url: "https://blog.example/post?q=private",
      additional_data: { event_name: "landing" },
    });
    expect(calls[0]).toMatchObject({
      kind: "click",
      isTest: false,
      programId: 7,
      code: "Anna",
      eventId: "e1",
      existingClickId: "c0",
      eventName: "landing",
      visit: {
        pageUrl: "https://shop.example/p?aff=a&utm_source=x&utm_medium=y",
        referrerUrl: "https://blog.example/post",
      },
    });
  });

  test("a click call to the Ledger has the landing page as the visited page by default", async () => {
    const { click: send, calls } = service();
    await send({ affiliate_url: "https://shop.example/start?aff=Anna&session=1&utm_source=x" });
    const pageUrl = "https://shop.example/start?aff=Anna&utm_source=x";
    expect(calls[0]).toMatchObject({ visit: { pageUrl } });
  });

  test("a click call to the Ledger treats an empty text as absent", async () => {
    const { click: send, calls } = service();
    expect((await send({ ...click, referrer_url: "", page_title: "", existing_click_id: "" })).status).toBe(200);
    expect(calls[0]).toMatchObject({
      existingClickId: null,
      visit: { referrerUrl: null, pageTitle: null },
    });
  });

  test("a click call to the Ledger needs no link in test mode, and can name the program", async () => {
    const { click: send, calls } = service();
    await send({ program_id: 7, ...inTest });
    await send({ additional_data: { test_mode: true, program_id: "8" } });
    await send({ ...click, additional_data: { test_mode: false, program_id: 8 } });
    expect(calls).toMatchObject([
      { isTest: true, programId: 7, code: null },
      { isTest: true, programId: 8, code: null },
      { isTest: false, programId: null, code: "Anna" },
    ]);
  });
});

describe("a lead call to the Ledger", () => {
  test("a lead call to the Ledger contains each valid click of the lead once, newest last", async () => {
    const [oldest, older, newest, ofTest] = [mint(1000), mint(2000), mint(3000), mint(2500, true)];
    const { lead: send, calls } = service();
    const forged = `${newest.slice(0, -1)}${newest.endsWith("A") ? "B" : "A"}`;
    await send({ click_id: newest, click_ids: [oldest, "junk", newest, older, ofTest, forged, older] }, { key });
    expect(calls[0]).toMatchObject({ sentClickId: true });
    expect(calls[0]).toHaveProperty("clicks", [
      { clickId: oldest, programId, isTest: false, linkId: 4, at: 1000 },
      { clickId: older, programId, isTest: false, linkId: 4, at: 2000 },
      { clickId: ofTest, programId, isTest: true, linkId: 4, at: 2500 },
      { clickId: newest, programId, isTest: false, linkId: 4, at: 3000 },
    ]);
  });

  test("a lead call to the Ledger has the last twenty clicks of a long history", async () => {
    const { lead: send, calls } = service();
    await send({ click_ids: Array.from({ length: 30 }, (_, i) => mint(i)) }, { key });
    const { clicks } = calls[0] as { clicks: readonly { at: number }[] } & (typeof calls)[0];
    expect(clicks.map(({ at }) => at)).toEqual(Array.from({ length: 20 }, (_, i) => i + 10));
  });

  test("a lead call to the Ledger says that a click id was sent, even if the click id is invalid", async () => {
    const { lead: send, calls } = service();
    await send({ customer_key: "u", click_id: "junk" }, { key });
    await send({ customer_key: "u", click_ids: ["junk"] }, { key });
    await send({ customer_key: "u", click_id: "" }, { key });
    expect(calls).toMatchObject([
      { clicks: [], sentClickId: true },
      { clicks: [], sentClickId: true },
      { clicks: [], sentClickId: false },
    ]);
  });

  test("a lead call to the Ledger doesn't contain an email address in plain text", async () => {
    const { lead: send, calls } = service();
    await send({ customer_key: "u", email: " John@Example.com " }, { key });
    await send({ customer_key: "u", email: "john@example.com" }, { key });
    await send({ customer_key: "u", email: "" }, { key });
    await send({ customer_key: "u", email: "  " }, { key });
    const email = { digest: expect.stringMatching(/^[0-9a-f]{64}$/), mask: "j•••@e•••.com" };
    expect(calls).toMatchObject([{ email }, { email }, { email: null }, { email: null }]);
    expect(JSON.stringify(calls[0]).toLowerCase()).not.toContain("john@");
    expect(calls[0]).toHaveProperty("email", (calls[1] as { email?: unknown } | undefined)?.email);
  });

  test("a lead call to the Ledger has the click's program if nothing else identifies the program", async () => {
    const { lead: send, calls } = service();
    expect((await send({ click_id: mint(1000) })).status).toBe(200);
    expect(calls).toHaveLength(1);
  });

  test("a lead call to the Ledger isn't made if the lead has no program, no key and no valid click", async () => {
    const { lead: send, calls } = service();
    const reply = await send({ customer_key: "u", click_id: "junk" });
    const message = "Customer not found. Provide a valid click_id or customer_key.";
    expect(reply).toMatchObject({ status: 400, body: { error: { message } } });
    expect(calls).toEqual([]);
  });

  test("a lead call to the Ledger needs nothing but a program or a key in test mode", async () => {
    const { lead: send, calls } = service();
    expect((await send({ ...inTest, program_id: 7 })).status).toBe(200);
    expect((await send(inTest, { key })).status).toBe(200);
    expect((await send(inTest)).body).toMatchObject({ error: { message: "program_id is required" } });
    expect(calls).toMatchObject([
      { isTest: true, programId: 7, key: undefined },
      { isTest: true, programId: null },
    ]);
  });
});

describe("a sale call to the Ledger", () => {
  test("a sale call to the Ledger has defaults for omitted fields", async () => {
    const { sale: send, calls } = service();
    await send(sale);
    expect(calls[0]).toMatchObject({
      kind: "sale",
      isTest: false,
      transactionId: "t1",
      amountCents: 100,
      currency: null,
      customerKey: "u1",
      clickId: null,
      clicks: [],
      sentClickId: false,
      saleType: "payment",
      isRecurring: false,
      lineItems: null,
    });
  });

  test("a sale call to the Ledger has all fields that were sent", async () => {
    const { sale: send, calls } = service();
    const clickId = mint(5000);
    await send({
      ...{ ...sale, click_id: clickId, click_ids: [mint(4000), "junk", clickId] },
      ...{ currency: "eur", sale_type: "subscription", is_recurring: true },
      ...{ subscription_id: "s1", subscription_interval: "annual", product_id: "p1", event_name: "renewal" },
      line_items: [{ sku: "a", n: 2 }],
    });
    expect(calls[0]).toMatchObject({
      ...{
        currency: "EUR",
        clickId,
        clicks: [
          { programId, at: 4000 },
          { clickId, programId, at: 5000 },
        ],
        sentClickId: true,
        saleType: "subscription",
        isRecurring: true,
      },
      ...{ subscriptionId: "s1", subscriptionInterval: "annual", productId: "p1", eventName: "renewal" },
      lineItems: '[{"sku":"a","n":2}]',
    });
  });

  test("a sale call to the Ledger keeps an invalid click id as it was sent", async () => {
    const { sale: send, calls } = service();
    await send({ ...sale, click_id: "junk" });
    expect(calls[0]).toMatchObject({ clickId: "junk", clicks: [], sentClickId: true });
  });

  test("a sale call to the Ledger needs only its transaction_id in test mode", async () => {
    const { sale: send, calls } = service();
    expect((await send({ ...inTest, transaction_id: "t8" })).status).toBe(200);
    expect((await send({ ...inTest, transaction_id: "t9", amount_cents: 5, currency: "jpy" })).status).toBe(200);
    expect(calls).toMatchObject([
      { isTest: true, transactionId: "t8", amountCents: 9999, currency: null },
      { isTest: true, transactionId: "t9", amountCents: 5, currency: "JPY" },
    ]);
  });

  test("a sale call to the Ledger accepts the largest amount", async () => {
    const { sale: send, calls } = service();
    expect((await send({ ...sale, amount_cents: 1e11 })).status).toBe(200);
    expect(calls[0]).toMatchObject({ amountCents: 100_000_000_000 });
  });
});

test("a refund call to the Ledger has the amount, id and reason", async () => {
  const { refund: send, calls } = service();
  await send({ transaction_id: "t1" });
  await send({ transaction_id: "t1", refund_amount_cents: 5, refund_id: "r1", refund_reason: "broken" });
  await send({ transaction_id: "t1", refunded_total_cents: 9, charge_total_cents: 20, ...inTest });
  await send({ transaction_id: "t1", refund_id: "r1", cancel: true });
  await send({ transaction_id: "t1", refund_id: "r1", cancel: true, refunded_total_cents: 0 });
  expect(calls).toMatchObject([
    { kind: "refund", transactionId: "t1", asked: "rest", cents: null, refundId: null },
    { asked: "amount", cents: 5, refundId: "r1", reason: "broken", isTest: false, chargeTotalCents: null },
    { asked: "total", cents: 9, chargeTotalCents: 20, isTest: true },
    { asked: "cancel", cents: null, refundId: "r1" },
    { asked: "cancel_total", cents: 0, refundId: "r1" },
  ]);
});

test("a report that a payout line is settled makes one call to the Ledger, and the response contains the line", async () => {
  const settledAt = Date.UTC(2026, 10, 1);
  const line = { id: 5, partnerId: 3, externalId: "u1", currency: "EUR", amountCents: 980, state: "live", settledAt };
  const settled = { ...line, settlementId: "cb_1", lateSettledAt: null, lateSettlementId: null };
  const { send, calls } = service({ "settle-line": { line: settled as never, isLate: false } });
  const path = "/api/v1/programs/me/payouts/4/lines/5/settle";
  const reply = await send({ path, key, body: { settlement_id: "cb_1" } });
  expect(reply.body).toEqual({
    data: {
      ...{ line_id: 5, partner_id: 3, external_id: "u1", currency: "EUR", amount_cents: 980, state: "settled" },
      ...{ settlement_id: "cb_1", settled_at: "2026-11-01T00:00:00.000Z", late: false },
    },
  });
  expect(calls).toMatchObject([{ kind: "settle-line", payoutId: 4, lineId: 5, key: { scopes: ["settle"] } }]);
});
