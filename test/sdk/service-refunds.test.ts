import { expect, test } from "vitest";
import { day } from "../support/program-fixture.ts";
import { integrate, order } from "./integration.ts";

test("a refund with an amount of 0 isn't sent", async () => {
  const { shop, tributary } = await integrate();
  const skipped = { ok: true, status: 0, error: null, data: null, requestId: null, skipped: true };
  expect(await tributary.trackSale({ ...order, amount: 0 })).toEqual(skipped);
  expect(await tributary.trackRefund({ invoiceId: "invoice-1", refundedTotal: 0 })).toEqual(skipped);
  expect(await tributary.trackRefund({ invoiceId: "invoice-1", amount: 0, refundId: "r" })).toEqual(skipped);
  expect(await shop.all("sales")).toEqual([]);
});

test("refunds can be running totals, parts or full, repeats are skipped, and conflicting, excessive or early refunds are refused", async () => {
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

test("refund totals of two charges for one sale are added, and an older total of the same charge is skipped", async () => {
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

test("a refund of part of a charge that is larger than the sale is scaled to the sale's amount", async () => {
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

test("canceling a refund restores the commission, and a canceled refund that is sent again is skipped", async () => {
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

test("a charge's refund total may be lowered by a cancellation, and may rise again afterwards", async () => {
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
