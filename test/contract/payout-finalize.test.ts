import { expect, test } from "vitest";
import type { Partner } from "../../harness/world.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

async function openDraft({ minimumCents = 1 } = {}) {
  const shop = await payoutsFixture(people);
  const { transaction_id, commissionId } = await shop.earn(1_000);
  const ofBob = await shop.earn(300, { partner: shop.bob });
  return { ...shop, transaction_id, commissionId, ofBob, draft: (await shop.create({ minimumCents })).body.data };
}

const changeOf = ({ id, code }: Partner, beforeCents: number, afterCents: number, reason: string) => ({
  ...{ partnerId: id, partnerCode: code, name: `Partner ${code}` },
  ...{ beforeCents, afterCents, reason },
});

test("finalizing a payout with an expected total that differs returns the difference, and doesn't change the draft, commissions or audit trail", async () => {
  const { draft, alice, commissionId, world, transaction_id, ...shop } = await openDraft();
  await shop.giveBack(transaction_id, { refund_amount_cents: 500 });
  const state = () =>
    world.allRows({
      commissions: "select * from commissions where program_id = ?",
      lines: "select * from payout_lines where program_id = ?",
      payouts: "select * from payouts where program_id = ?",
      balances: "select * from partner_balances where program_id = ?",
      audit: "select * from audit_entries where program_id = ?",
      ranges: "select * from payout_ranges where program_id = ?",
    });
  const before = await state();
  const refused = await shop.finalize(draft.id, { expectedTotalCents: 1_300 });
  expect(refusalOf(refused)).toBe("409 The payout's total differs from expectedTotalCents");
  expect(refused.body.error?.details).toEqual({
    code: "total_differs",
    changes: [changeOf(alice, 1_000, 900, "amount_changed")],
  });
  expect(await state()).toEqual(before);
  expect((await shop.reject(commissionId)).status).toBe(200);
});

test("finalizing a payout includes a partner whose earlier payment failed since the draft was created", async () => {
  const shop = await payoutsFixture(people);
  const { alice, bob } = shop;
  await shop.earn(300, { partner: bob });
  const paid = (await shop.create()).body.data;
  await shop.confirm(paid.id);
  await shop.earn(1_000);
  const draft = (await shop.create()).body.data;
  expect([draft.lines, draft.skipped]).toMatchObject([[{ partnerId: alice.id }], []]);
  await shop.fail(paid.id, bob.id);
  const changes = [changeOf(bob, 0, 300, "added")];
  const refused = await shop.finalize(draft.id, { expectedTotalCents: 1_000 });
  expect([refused.status, refused.body.error?.details]).toEqual([409, { code: "total_differs", changes }]);
  const final = (await shop.finalize(draft.id, { expectedTotalCents: 1_300 })).body.data;
  expect(final).toMatchObject({ totalCents: 1_300, lineCount: 2, changes });
  expect(final.lines.find(({ partnerId }) => partnerId === bob.id)).toMatchObject({ amountCents: 300, commissions: 1 });
});

test("a payout line that falls below the minimum because of refunds is excluded, and its commissions stay available", async () => {
  const shop = await openDraft({ minimumCents: 950 });
  const { draft, alice, bob, transaction_id } = shop;
  expect(draft).toMatchObject({ lines: [{ partnerId: alice.id }], skipped: [{ partnerId: bob.id }] });
  await shop.earn(5_000, { partner: bob });
  await shop.giveBack(transaction_id, { refund_amount_cents: 500 });
  const refused = await shop.finalize(draft.id);
  expect(refusalOf(refused)).toMatch(/^409 Every line was left out \(below_minimum\)/);
  expect(refused.body.error?.details).toEqual({
    code: "all_left_out",
    changes: [changeOf(alice, 1_000, 0, "below_minimum")],
  });
  expect(await shop.get(draft.id)).toEqual(draft);

  await shop.cancel(draft.id);
  const next = (await shop.create({ minimumCents: 500 })).body.data;
  await shop.giveBack(transaction_id, { refund_amount_cents: 2_500 });
  const final = (await shop.finalize(next.id, { expectedTotalCents: 5_300 })).body.data;
  const changes = [changeOf(alice, 900, 0, "below_minimum")];
  expect(final).toMatchObject({ lineCount: 1, skipped: [{ partnerId: alice.id, amountCents: 400 }], changes });
  expect(await shop.statusOf(shop.commissionId)).toBe("approved");
  expect((await shop.reject(shop.commissionId)).status).toBe(200);
});

test("finalizing a payout again returns the first response, even after another refund, and is refused with a different expected total", async () => {
  const { draft, transaction_id, ...shop } = await openDraft();
  await shop.giveBack(transaction_id, { refund_amount_cents: 500 });
  const final = await shop.finalize(draft.id);
  expect(final.body.data.changes).toHaveLength(1);
  await shop.giveBack(transaction_id, { refund_amount_cents: 500 });
  const again = await shop.finalize(draft.id, { expectedTotalCents: 1_200 });
  expect([again.status, again.body.data]).toEqual([200, final.body.data]);
  expect((await shop.finalize(draft.id, { expectedTotalCents: 1_100 })).status).toBe(409);
  await shop.confirm(draft.id);
  expect((await shop.finalize(draft.id)).body.data).toMatchObject({
    status: "paid",
    totalCents: 1_200,
    changes: final.body.data.changes,
  });
});
