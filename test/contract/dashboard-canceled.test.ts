import { expect, it } from "vitest";
import { openDashboard, shown } from "../support/dashboard.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const dayOf = (daysBefore: number) => at(daysAgo(daysBefore)).slice(0, 10);

/** A sale of 100.00 four days ago, with a commission of 20.00. */
async function open() {
  const shop = await openDashboard(people);
  await shop.lead({ customer_key: "u", click_id: shop.click(shop.alice, daysAgo(6)) });
  await shop.sale({ transaction_id: "t", customer_key: "u", occurred_at: at(daysAgo(4)) });
  const refund = (days: number, body: object) =>
    shop.refund({ transaction_id: "t", occurred_at: at(daysAgo(days)), ...body });
  const charted = async () => {
    const { data, metrics } = await shown(shop.performance());
    const of = (days: number) => data.find(({ date }) => date === dayOf(days)) ?? { date: "none" };
    return { of, metrics };
  };
  return { refund, charted };
}

it("a canceled refund isn't counted on its day, and the restored commission counts on the day of the cancellation", async () => {
  const { refund, charted } = await open();
  await refund(3, { refund_id: "r", refund_amount_cents: 2_500 });
  const before = await charted();
  expect(before.of(3)).toMatchObject({ refunds: 1, refundedCents: 2_500, commissionCents: -500 });
  expect(before.metrics).toMatchObject({ totalRefunds: 1, totalRefundedCents: 2_500, totalCommissionCents: 1_500 });

  await refund(1, { refund_id: "r", cancel: true });
  const { of, metrics } = await charted();
  expect(of(4)).toMatchObject({ sales: 1, revenueCents: 10_000, commissionCents: 2_000 });
  expect(of(3)).toMatchObject({ refunds: 0, refundedCents: 0, commissionCents: -500 });
  expect(of(1)).toMatchObject({ refunds: 0, refundedCents: 0, commissionCents: 500 });
  expect(metrics).toMatchObject({ totalRefunds: 0, totalRefundedCents: 0, totalCommissionCents: 2_000 });
});

it("a refund that takes effect only once an earlier refund is canceled counts on its own day", async () => {
  const { refund, charted } = await open();
  await refund(3, { refund_id: "whole" });
  await refund(2, { refund_id: "part", refund_amount_cents: 4_000 });
  expect((await charted()).of(2)).toMatchObject({ refunds: 0, refundedCents: 0 });
  await refund(1, { refund_id: "whole", cancel: true });
  const { of, metrics } = await charted();
  expect(of(3)).toMatchObject({ refunds: 0, refundedCents: 0, commissionCents: -2_000 });
  expect(of(2)).toMatchObject({ refunds: 1, refundedCents: 4_000, commissionCents: 0 });
  expect(of(1)).toMatchObject({ refunds: 0, refundedCents: 0, commissionCents: 1_200 });
  expect(metrics).toMatchObject({ totalRefunds: 1, totalRefundedCents: 4_000, totalCommissionCents: 1_200 });
});

it("lowering a refunded total reduces the refunds of the latest day, not those of earlier days", async () => {
  const { refund, charted } = await open();
  await refund(3, { refund_id: "ch", refunded_total_cents: 3_000 });
  await refund(2, { refund_id: "ch", refunded_total_cents: 5_000 });
  await refund(1, { refund_id: "ch", refunded_total_cents: 3_500, cancel: true });
  const { of, metrics } = await charted();
  expect(of(3)).toMatchObject({ refunds: 1, refundedCents: 3_000, commissionCents: -600 });
  expect(of(2)).toMatchObject({ refunds: 1, refundedCents: 500, commissionCents: -400 });
  expect(of(1)).toMatchObject({ refunds: 0, refundedCents: 0, commissionCents: 300 });
  expect(metrics).toMatchObject({ totalRefundedCents: 3_500, totalCommissionCents: 1_300 });
});
