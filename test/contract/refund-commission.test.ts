import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { allAtOnce, createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

async function earned(amount_cents: number, settings?: WorldSettings) {
  const shop = await createSalesFixture(settings);
  await shop.refer("c1");
  const { body } = await shop.sell({ transaction_id: "t", amount_cents });
  return { shop, commissionId: body.commission_id };
}

/** Inserts the rows of a member's rejection. Negative ids aren't used otherwise. */
async function reject(shop: SalesFixture, commissionId: number): Promise<void> {
  const forged = ["rejected commissions whose rejection is not in the audit trail"];
  await shop.forge(
    forged,
    `insert into ledger_entries (id, program_id, is_test, commission_id, partner_id, kind, amount_cents, currency,
       refund_id, occurred_at, created_at, day)
     select ?, program_id, is_test, id, partner_id, 'rejected', -amount_cents, currency, null, created_at, created_at, ?
     from commissions where id = ?`,
    ...[-randomInt(2 ** 40), new Date(daysAgo(0)).toISOString().slice(0, 10), commissionId],
  );
  await shop.forge(forged, "update commissions set status = 'rejected' where id = ?", commissionId);
}

const balance = (shop: SalesFixture) =>
  shop.row("select sum(amount_cents) as cents from ledger_entries where partner_id = ?", shop.alice.id);

describe("the remaining amount of a commission", () => {
  it.each([
    [
      "10 on a sale of 3, refunded cent by cent",
      3,
      { type: "flat", amountCents: 10, currency: "EUR" },
      [1, 1, 1],
      [7, 3, 0],
    ],
    ["1 on a sale of 2, rounded half up", 2, { type: "flat", amountCents: 1, currency: "EUR" }, [1, 1], [1, 0]],
    ["0", 4, { rateBps: 1_000 }, [1, 3], [0, 0]],
    ["all of 10^11", 10 ** 11, { rateBps: 10_000 }, [1, 10 ** 11 - 2, 1], [10 ** 11 - 1, 1, 0]],
    [
      "a share of 10^11",
      10 ** 11,
      { rateBps: 3_333 },
      [33_333_333_333, 1, 66_666_666_666],
      [22_220_000_000, 22_220_000_000, 0],
    ],
  ] as const)(
    "the remaining amount of a commission is a share of the stored initial amount, rounded half up, and exactly 0 after a full refund: %s",
    async (_what, sale, policy, refunds, left) => {
      const { shop, commissionId } = await earned(sale, { policies: [policy] });
      const amounts = [];
      for (const refund_amount_cents of refunds) {
        amounts.push((await shop.giveBack("t", { refund_amount_cents })).body.commission_amount_cents);
      }
      expect(amounts).toEqual(left);
      expect(await shop.commission(commissionId)).toMatchObject({ amount_cents: 0, status: "reversed" });
      expect((await balance(shop)).cents).toBe(0);
    },
  );

  it("the remaining amount of a commission after a refund isn't recalculated with the policy's cap and minimum", async () => {
    const policy = { rateBps: 5_000, maxCommissionCents: 300, minSaleCents: 1_000, currency: "EUR" };
    const { shop } = await earned(1_000, { policies: [policy] });
    const refund = await shop.giveBack("t", { refund_amount_cents: 500 });
    expect(refund.body).toMatchObject({ commission_reversed_cents: 150, commission_amount_cents: 150 });
  });
});

describe("the refund of a sale", () => {
  it.each(["pending", "approved"])(
    "the refund of a sale leaves the commission %s if it is partial, and reverses it if it is full",
    async (status) => {
      const { shop, commissionId } = await earned(1_000, { policies: [{ holdDays: status === "approved" ? 0 : 15 }] });
      await shop.giveBack("t", { refund_amount_cents: 1 });
      expect(await shop.commission(commissionId)).toMatchObject({ status, amount_cents: 200 });
      await shop.giveBack("t");
      expect(await shop.commission(commissionId)).toMatchObject({ status: "reversed", amount_cents: 0 });
    },
  );

  it("the refund of a sale is recorded but reverses nothing if the commission is rejected", async () => {
    const { shop, commissionId } = await earned(1_000);
    await reject(shop, commissionId);
    const { body } = await shop.giveBack("t");
    expect(body).toMatchObject({
      refunded_total_cents: 1_000,
      commission_reversed_cents: 0,
      commission_amount_cents: 0,
    });
    expect(await shop.commission(commissionId)).toMatchObject({ status: "rejected", amount_cents: 0 });
    expect(await shop.saleRow("t")).toMatchObject({ refunded_cents: 1_000 });
    expect((await shop.entries(commissionId)).map(([kind]) => kind).sort()).toEqual(["earned", "rejected"]);
  });
});

describe("partial refunds of an amount that has no exact third", { tags: "finding" }, () => {
  it("after partial refunds, a running total of a cent more than the sale counts as a full refund, and leaves nothing of the commission", async () => {
    const { shop, commissionId } = await earned(8_499);
    const third = (refund_id: string, refund_amount_cents = 2_833) =>
      shop.giveBack("t", { refund_id, refund_amount_cents });
    await third("r1");
    expect((await third("r2")).body).toMatchObject({ commission_amount_cents: 567 });
    expect((await third("r3", 2_834)).body.error.details).toEqual({ refundable_cents: 2_833 });
    expect((await shop.giveBack("t", { refunded_total_cents: 8_500 })).body).toMatchObject({ status: "reversed" });
    expect(await shop.commission(commissionId)).toMatchObject({ amount_cents: 0 });
  });
});

describe("parallel refunds of a sale", () => {
  it("30 parallel refunds with different ids never exceed the sale", async () => {
    const { shop, commissionId } = await earned(1_000);
    const replies = await allAtOnce(30, (i) => shop.giveBack("t", { refund_amount_cents: 300, refund_id: `r${i}` }));
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(27);
    for (const { body } of refused) expect(body.error.details).toEqual({ refundable_cents: 100 });
    expect(await shop.saleRow("t")).toMatchObject({ refunded_cents: 900 });
    expect(await shop.commission(commissionId)).toMatchObject({ status: "pending", amount_cents: 20 });
  });

  it("30 parallel copies of one refund are deduplicated, and receive the same response", async () => {
    const { shop, commissionId } = await earned(1_000);
    const request = { refund_amount_cents: 300, refund_id: "r1" };
    const replies = await allAtOnce(30, () => shop.giveBack("t", request));
    expect(replies.filter(({ body }) => body.status === "refunded")).toHaveLength(1);
    for (const { body } of replies) {
      expect(body).toMatchObject({ refunded_cents: 300, commission_reversed_cents: 60, commission_amount_cents: 140 });
    }
    expect(await shop.entries(commissionId)).toEqual([
      ["earned", 200],
      ["reversed", -60],
    ]);
  });

  it("30 parallel refunds of the remaining amount refund it only once", async () => {
    const { shop, commissionId } = await earned(1_000);
    const replies = await allAtOnce(30, () => shop.giveBack("t"));
    expect(replies.filter(({ body }) => body.status === "reversed")).toHaveLength(1);
    expect(await shop.entries(commissionId)).toEqual([
      ["earned", 200],
      ["reversed", -200],
    ]);
  });
});
