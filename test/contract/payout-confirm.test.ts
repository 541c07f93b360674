import { expect, test } from "vitest";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const minute = 60_000;

async function openDraft() {
  const shop = await payoutsFixture(people);
  const { transaction_id } = await shop.earn(1_000);
  return { ...shop, transaction_id, draft: (await shop.create()).body.data };
}

test("confirming a draft payout recalculates, finalizes and pays it in one call", async () => {
  const { draft, transaction_id, giveBack, confirm, get, accounts } = await openDraft();
  await giveBack(transaction_id, { refund_amount_cents: 500 });
  const paidAt = at(daysAgo(30));
  const paid = await confirm(draft.id, { paidAt, note: "by wire", expectedTotalCents: 900 });
  expect([paid.status, paid.body.data]).toMatchObject([
    200,
    { status: "paid", paidAt, note: "by wire", changes: [{ beforeCents: 1_000, afterCents: 900 }] },
  ]);
  expect(await get(draft.id)).toEqual(paid.body.data);
  expect(await accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 900 });
});

test("confirming a draft payout with an expected total that differs returns what changed, and writes nothing", async () => {
  const { draft, alice, transaction_id, giveBack, confirm, get, accounts } = await openDraft();
  await giveBack(transaction_id, { refund_amount_cents: 500 });
  const refused = await confirm(draft.id, { expectedTotalCents: 1_000 });
  expect(refusalOf(refused)).toBe("409 The payout's total differs from expectedTotalCents");
  const { id: partnerId, code: partnerCode } = alice;
  expect(refused.body.error?.details).toEqual({
    code: "total_differs",
    changes: [
      {
        ...{ partnerId, partnerCode, name: `Partner ${partnerCode}` },
        ...{ beforeCents: 1_000, afterCents: 900, reason: "amount_changed" },
      },
    ],
  });
  expect(await get(draft.id)).toEqual(draft);
  expect(await accounts()).toEqual({ pending: 0, payable: 900, inPayout: 0, paid: 0 });
});

test("the paidAt of a payout can be before the payout's creation, but not in the future", async () => {
  const shop = await payoutsFixture(people);
  const draft = async () => {
    await shop.earn(1_000);
    return (await shop.create()).body.data.id;
  };
  const from = (ms: number) => new Date(Date.now() + ms).toISOString();
  const id = await draft();
  expect(refusalOf(await shop.confirm(id, { paidAt: from(6 * minute) }))).toBe("400 paidAt is in the future");
  const ahead = await shop.confirm(id, { paidAt: from(4 * minute) });
  expect(Date.parse(ahead.body.data.paidAt ?? "")).toBeLessThanOrEqual(Date.now());
  const earlier = from(-60 * 24 * 60 * minute);
  expect((await shop.confirm(await draft(), { paidAt: earlier })).body.data).toMatchObject({ paidAt: earlier });
});
