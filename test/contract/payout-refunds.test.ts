import { describe, expect, test } from "vitest";
import { sampled } from "../support/breadth.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

/** A final or paid payout of one commission of 10.00. */
async function open(how: "finalize" | "confirm") {
  const shop = await payoutsFixture(people);
  const sold = await shop.earn(1_000);
  const payout = (await shop.create()).body.data;
  await shop[how](payout.id);
  return { ...shop, ...sold, payoutId: payout.id, shown: () => shop.statusOf(sold.commissionId) };
}

describe.each([
  ["reserved", "finalize", "approved"],
  ["paid", "confirm", "paid"],
] as const)("a refund of a %s commission", (_, how, status) => {
  const account = how === "finalize" ? "inPayout" : "paid";
  const none = { pending: 0, payable: 0, inPayout: 0, paid: 0 };

  test("a partial refund of a reserved or paid commission is deducted in the next payout, and leaves the commission's status and payout line as is", async () => {
    const shop = await open(how);
    await shop.giveBack(shop.transaction_id, { refund_amount_cents: 2_000 });
    expect(await shop.shown()).toBe(status);
    expect(await shop.accounts()).toEqual({ ...none, payable: -400, [account]: 1_000 });
    expect(await shop.get(shop.payoutId)).toMatchObject({ totalCents: 1_000, lines: [{ commissionsCents: 1_000 }] });
    expect(refusalOf(await shop.create())).toBe("409 Nothing is payable");
    await shop.earn(900);
    const next = (await shop.create()).body.data;
    expect(next.lines).toMatchObject([
      { amountCents: 500, commissions: 1, commissionsCents: 900, adjustmentsCents: 0, broughtForwardCents: -400 },
    ]);
    await shop.finalize(next.id);
    expect((await shop.accounts()).payable).toBe(0);
  });

  test("a full refund of a reserved or paid commission doesn't change the status", async () => {
    const shop = await open(how);
    await shop.giveBack(shop.transaction_id);
    expect(await shop.shown()).toBe(status);
    expect(await shop.accounts()).toEqual({ ...none, payable: -1_000, [account]: 1_000 });
  });

  test("once a refund of a reserved or paid commission is canceled, the next payout pays the amount, even without another commission", async () => {
    const shop = await open(how);
    const refund = { transaction_id: shop.transaction_id, refund_id: "r" };
    await shop.refund(refund);
    await shop.earn(1_500);
    const second = (await shop.create()).body.data;
    expect(second.lines).toMatchObject([{ amountCents: 500, commissions: 1, broughtForwardCents: -1_000 }]);
    await shop.confirm(second.id);
    await shop.refund({ ...refund, cancel: true });
    expect(await shop.shown()).toBe(status);
    const third = (await shop.create()).body.data;
    expect(third.lines).toMatchObject([
      { amountCents: 1_000, commissions: 0, commissionsCents: 0, broughtForwardCents: 1_000 },
    ]);
    await shop.finalize(third.id);
    expect((await shop.accounts()).payable).toBe(0);
    expect(await shop.shown()).toBe(status);
  });
});

test("a fully refunded commission that a payout reserved is reversed once the payout is canceled", async () => {
  const shop = await open("finalize");
  const refund = { transaction_id: shop.transaction_id, refund_id: "r" };
  await shop.refund(refund);
  expect(await shop.shown()).toBe("approved");
  await shop.cancel(shop.payoutId);
  expect(await shop.shown()).toBe("reversed");
  expect(await shop.accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 0 });
  await shop.refund({ ...refund, cancel: true });
  expect(await shop.shown()).toBe("approved");
  expect((await shop.create()).body.data.lines).toMatchObject([{ amountCents: 1_000, commissions: 1 }]);
});

test("a payout doesn't contain a commission that was fully refunded before it is finalized", async () => {
  const shop = await payoutsFixture(people);
  const gone = await shop.earn(1_000);
  await shop.earn(300);
  const { id } = (await shop.create()).body.data;
  const refund = { transaction_id: gone.transaction_id, refund_id: "r" };
  await shop.refund(refund);
  const final = (await shop.finalize(id)).body.data;
  expect(final.lines).toMatchObject([{ amountCents: 300, commissions: 1, broughtForwardCents: 0 }]);
  expect(await shop.statusOf(gone.commissionId)).toBe("reversed");
  await shop.confirm(id);
  expect(await shop.statusOf(gone.commissionId)).toBe("reversed");
  await shop.refund({ ...refund, cancel: true });
  expect(await shop.statusOf(gone.commissionId)).toBe("approved");
  const next = (await shop.create()).body.data;
  expect(next.lines).toMatchObject([{ amountCents: 1_000, commissions: 1, broughtForwardCents: 0 }]);
  await shop.confirm(next.id);
  expect(await shop.statusOf(gone.commissionId)).toBe("paid");
});

test.each(sampled(["finalize", "confirm"]))(
  "a commission in a payout can't be rejected until the payout is canceled or its line has failed: %s",
  async (how) => {
    const shop = await open(how);
    const held = how === "finalize" ? "reserved" : "paid";
    expect(refusalOf(await shop.reject(shop.commissionId))).toBe(`409 A ${held} commission can't be rejected`);
    if (how === "finalize") await shop.cancel(shop.payoutId);
    else await shop.fail(shop.payoutId, shop.alice.id);
    expect((await shop.reject(shop.commissionId)).status).toBe(200);
    expect(await shop.shown()).toBe("rejected");
    expect(await shop.accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 0 });
  },
);

test("a draft payout doesn't reserve its commissions, so they can be rejected", async () => {
  const shop = await payoutsFixture(people);
  const { commissionId } = await shop.earn(1_000);
  await shop.earn(300);
  const { id } = (await shop.create()).body.data;
  expect((await shop.reject(commissionId)).status).toBe(200);
  expect((await shop.finalize(id)).body.data.lines).toMatchObject([{ amountCents: 300, commissions: 1 }]);
});
