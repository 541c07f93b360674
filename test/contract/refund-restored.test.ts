import { describe, expect, it } from "vitest";
import { hourMs } from "#domain/calendar.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const heldOtherwise = [
  "commissions whose hold ends at another time than their policy says",
  "commissions whose explanation doesn't match the stored rows",
];
const dayOf = (daysBefore: number) => at(daysAgo(daysBefore)).slice(0, 10);

/** A sale of 10.00 with a commission of 2.00. */
async function earned({ soldDaysAgo = 5, ...settings }: WorldSettings & { soldDaysAgo?: number } = {}) {
  const shop = await createSalesFixture({ members: people.members(), ...settings });
  await shop.refer("c1", { clickAt: daysAgo(30) });
  const { body } = await shop.sell({ transaction_id: "t", occurred_at: at(daysAgo(soldDaysAgo)) });
  return { shop, commissionId: body.commission_id };
}

const decide = (shop: SalesFixture, commissionId: number, verb: "approve" | "reject") =>
  people.admin.post(
    `/api/programs/${shop.world.programId}/commissions/${commissionId}/${verb}`,
    verb === "reject" ? { reason: "self-referral" } : {},
  );
const refundWhole = (shop: SalesFixture) => shop.refund({ transaction_id: "t", refund_id: "r" });
const cancel = (shop: SalesFixture) => shop.refund({ transaction_id: "t", refund_id: "r", cancel: true });

describe("a commission whose full refund is canceled", () => {
  it("a commission whose full refund is canceled is pending during its hold period", async () => {
    const { shop, commissionId } = await earned();
    await refundWhole(shop);
    expect(await shop.commission(commissionId)).toMatchObject({ status: "reversed", approved_at: null });
    expect(await cancel(shop)).toMatchObject({ commission_reversed_cents: -200, commission_amount_cents: 200 });
    const pending = { status: "pending", amount_cents: 200, approved_at: null, hold_until: daysAgo(-10) };
    expect(await shop.commission(commissionId)).toMatchObject(pending);
  });

  it("a commission whose full refund is canceled is approved after its hold period", async () => {
    const { shop, commissionId } = await earned({ soldDaysAgo: 20 });
    expect(await shop.commission(commissionId)).toMatchObject({ status: "approved" });
    await refundWhole(shop);
    expect(await shop.commission(commissionId)).toMatchObject({ status: "reversed" });
    await cancel(shop);
    expect(await shop.commission(commissionId)).toMatchObject({ status: "approved", amount_cents: 200 });
  });

  it("a commission whose full refund is canceled is approved at the time of the cancellation if its hold period ended while it was reversed", async () => {
    const { shop, commissionId } = await earned();
    await refundWhole(shop);
    await shop.forge(heldOtherwise, "update commissions set hold_until = ? where id = ?", daysAgo(1), commissionId);
    await cancel(shop);
    const approved = { status: "approved", amount_cents: 200, approved_by: "hold" };
    const { approved_at, ...commission } = await shop.commission(commissionId);
    expect(commission).toMatchObject(approved);
    const restored = (await shop.all("ledger_entries")).at(-1);
    const canceled = (await shop.all("refunds")).at(-1);
    expect(restored?.kind).toBe("restored");
    // The approval has the time of the call if that is later than the Ledger's, because the Worker's clock can be ahead.
    // The Ledger's clock can advance between the entry and the approval.
    const earliest = Math.max(Number(restored?.created_at), Number(canceled?.created_at));
    expect(approved_at).toBeGreaterThanOrEqual(earliest);
    expect(approved_at).toBeLessThan(earliest + hourMs);
  });

  it("a commission whose full refund is canceled is approved again with the original time if a member had approved it", async () => {
    const { shop, commissionId } = await earned();
    await decide(shop, commissionId, "approve");
    const before = await shop.commission(commissionId);
    await refundWhole(shop);
    await cancel(shop);
    expect(before).toMatchObject({ status: "approved", approved_by: "person" });
    const after = await shop.commission(commissionId);
    expect(after).toEqual({ ...before, payable_number: after.payable_number, event_seq: after.event_seq });
    expect(Number(after.payable_number)).toBeGreaterThan(Number(before.payable_number));
  });

  it("a commission whose full refund is canceled is pending even after its hold period if it is unconfirmed", async () => {
    const shop = await createSalesFixture();
    await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(30)) });
    const { body } = await shop.sell({ transaction_id: "t", occurred_at: at(daysAgo(20)) });
    await refundWhole(shop);
    await cancel(shop);
    const pending = { status: "pending", is_unconfirmed: 1, amount_cents: 200 };
    expect(await shop.commission(body.commission_id)).toMatchObject(pending);
  });

  it("a commission whose full refund is canceled stays rejected and at 0 if it was rejected", async () => {
    const { shop, commissionId } = await earned();
    await shop.refund({ transaction_id: "t", refund_id: "r", refund_amount_cents: 500 });
    await decide(shop, commissionId, "reject");
    expect(await cancel(shop)).toMatchObject({
      status: "restored",
      refunded_cents: -500,
      commission_reversed_cents: 0,
    });
    expect(await shop.commission(commissionId)).toMatchObject({ status: "rejected", amount_cents: 0 });
    expect(await shop.entries(commissionId)).toEqual([
      ["earned", 200],
      ["reversed", -100],
      ["rejected", -100],
    ]);
  });

  it("a commission whose full refund is canceled is approved automatically when its hold period ends, even if nothing else is due", async () => {
    const { shop, commissionId } = await earned();
    await refundWhole(shop);
    await shop.forge(
      heldOtherwise,
      "update commissions set hold_until = ? where id = ?",
      Date.now() + 2_500,
      commissionId,
    );
    await cancel(shop);
    expect(await shop.commission(commissionId)).toMatchObject({ status: "pending" });
    const status = async () => (await shop.commission(commissionId)).status;
    await expect.poll(status, { interval: 100 }).toBe("approved");
  });
});

describe("a lead that attributes an earlier sale with refunds", () => {
  it("a lead that attributes an earlier sale deducts the sale's refunds, except canceled ones", async () => {
    const shop = await createSalesFixture();
    const { body } = await shop.sell({ transaction_id: "t", occurred_at: at(daysAgo(8)) });
    const refund = (refund_id: string, days: number, more: object) =>
      shop.refund({ transaction_id: "t", refund_id, occurred_at: at(daysAgo(days)), ...more });
    await refund("whole", 7, {});
    await refund("covered", 6, { refund_amount_cents: 250 });
    await refund("ch", 5, { refunded_total_cents: 100 });
    await refund("whole", 4, { cancel: true });
    await refund("ch", 3, { cancel: true });
    await shop.refer("c1", { clickAt: daysAgo(9) });
    expect(await shop.booked()).toEqual([
      ["alice", "earned", 200, dayOf(8)],
      ["alice", "reversed", -50, dayOf(6)],
    ]);
    expect(await shop.commission(body.commission_id)).toMatchObject({ status: "pending", amount_cents: 150 });
    const canceled = await refund("covered", 0, { cancel: true });
    expect(canceled).toMatchObject({ commission_reversed_cents: -50, commission_amount_cents: 200 });
  });

  it("a lead that attributes an earlier sale with a partly canceled refund deducts only the remaining total of the refund", async () => {
    const shop = await createSalesFixture();
    await shop.sell({ transaction_id: "t", occurred_at: at(daysAgo(8)) });
    await shop.refund({ transaction_id: "t", refund_id: "ch", refunded_total_cents: 600, occurred_at: at(daysAgo(7)) });
    const fallen = { refunded_total_cents: 250, occurred_at: at(daysAgo(5)), cancel: true };
    await shop.refund({ transaction_id: "t", refund_id: "ch", ...fallen });
    await shop.refer("c1", { clickAt: daysAgo(9) });
    expect(await shop.booked()).toEqual([
      ["alice", "earned", 200, dayOf(8)],
      ["alice", "reversed", -50, dayOf(7)],
    ]);
  });
});
