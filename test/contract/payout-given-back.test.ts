import { expect, test } from "vitest";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

type Shop = Awaited<ReturnType<typeof payoutsFixture>>;

async function pay(shop: Shop) {
  const { id } = (await shop.create()).body.data;
  return (await shop.confirm(id)).body.data;
}

test.each(["cancel", "fail"] as const)(
  "the call %s on a payout makes the amount and commissions payable again immediately",
  async (how) => {
    const shop = await payoutsFixture(people);
    const sold = [await shop.earn(1_000), await shop.earn(500)];
    const statuses = () => Promise.all(sold.map(({ commissionId }) => shop.statusOf(commissionId)));
    const { id } = (await shop.create()).body.data;
    const held = await shop[how === "cancel" ? "finalize" : "confirm"](id);
    const inPayout = how === "cancel" ? 1_500 : 0;
    expect(await shop.accounts()).toEqual({ pending: 0, payable: 0, inPayout, paid: 1_500 - inPayout });

    const given = how === "cancel" ? await shop.cancel(id) : await shop.fail(id, shop.alice.id);
    expect(given.body.data.lines.map(({ amountCents, commissions }) => [amountCents, commissions])).toEqual([
      [1_500, 2],
    ]);
    expect(held.body.data.lines.map(({ amountCents }) => amountCents)).toEqual([1_500]);
    expect(await shop.accounts()).toEqual({ pending: 0, payable: 1_500, inPayout: 0, paid: 0 });
    expect(await statuses()).toEqual(["approved", "approved"]);

    sold.push(await shop.earn(70));
    const next = await pay(shop);
    expect(next.lines).toMatchObject([{ amountCents: 1_570, commissions: 3, broughtForwardCents: 0 }]);
    expect(await statuses()).toEqual(["paid", "paid", "paid"]);
    expect(await shop.accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 1_570 });
  },
);

test("a failed payout line between two paid ones makes only its own commissions payable again", async () => {
  const shop = await payoutsFixture(people);
  const earnAndPay = async (cents: number) => ({ ...(await shop.earn(cents)), payoutId: (await pay(shop)).id });
  const sold = [await earnAndPay(100), await earnAndPay(20), await earnAndPay(3)] as const;
  const statuses = () => Promise.all(sold.map(({ commissionId }) => shop.statusOf(commissionId)));
  await shop.fail(sold[1].payoutId, shop.alice.id);
  expect(await statuses()).toEqual(["paid", "approved", "paid"]);
  expect(await shop.accounts()).toEqual({ pending: 0, payable: 20, inPayout: 0, paid: 103 });
  const last = await pay(shop);
  expect(last.lines).toMatchObject([{ amountCents: 20, commissions: 1, commissionsCents: 20, broughtForwardCents: 0 }]);
  expect(await statuses()).toEqual(["paid", "paid", "paid"]);
  await shop.fail(sold[2].payoutId, shop.alice.id);
  expect(await statuses()).toEqual(["paid", "paid", "approved"]);
});

test("one failed line of a payout leaves the others paid", { tags: "soak" }, async () => {
  const shop = await payoutsFixture(people);
  const { alice, bob } = shop;
  const ofAlice = await shop.earn(1_000);
  const ofBob = await shop.earn(300, { partner: bob });
  const { id } = await pay(shop);
  await shop.fail(id, alice.id);
  expect(await shop.get(id)).toMatchObject({ status: "paid", totalCents: 1_300 });
  expect([await shop.statusOf(ofAlice.commissionId), await shop.statusOf(ofBob.commissionId)]).toEqual([
    "approved",
    "paid",
  ]);
  expect((await pay(shop)).lines).toMatchObject([{ partnerId: alice.id, amountCents: 1_000, commissions: 1 }]);
});

test("the amount of a failed payout line is paid again, minus later refunds", async () => {
  const shop = await payoutsFixture(people);
  const { transaction_id } = await shop.earn(1_000);
  const { id } = await pay(shop);
  await shop.giveBack(transaction_id, { refund_amount_cents: 2_000 });
  await shop.fail(id, shop.alice.id);
  expect((await pay(shop)).lines).toMatchObject([
    { amountCents: 600, commissions: 1, commissionsCents: 600, broughtForwardCents: 0 },
  ]);
});

test("commissions of 0 cents are reserved, counted and paid together with others", async () => {
  const shop = await payoutsFixture(people);
  const nothing = await shop.earn(0.2);
  expect(await shop.statusOf(nothing.commissionId)).toBe("approved");
  expect((await shop.create()).status).toBe(409);
  await shop.earn(1_000);
  const { id } = (await shop.create()).body.data;
  const final = (await shop.finalize(id)).body.data;
  expect(final.lines).toMatchObject([{ amountCents: 1_000, commissions: 2, commissionsCents: 1_000 }]);
  expect((await shop.reject(nothing.commissionId)).status).toBe(409);
  await shop.confirm(id);
  expect(await shop.statusOf(nothing.commissionId)).toBe("paid");
  await shop.fail(id, shop.alice.id);
  expect(await shop.statusOf(nothing.commissionId)).toBe("approved");
});
