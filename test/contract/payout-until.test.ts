import { expect, test } from "vitest";
import { instantLater, type PayoutReply, payoutsFixture } from "../support/payouts-fixture.ts";
import { openShop, post } from "../support/statements-fixture.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

/** A program whose commissions are pending until a member approves them. */
const open = () => payoutsFixture(people, { policies: [{ holdDays: 15 }] });

test("a payout with a cutoff pays what was approved by then, minus later refunds and debits", async () => {
  const shop = await open();
  const [early, other, late] = [await shop.earn(1_000), await shop.earn(500), await shop.earn(400)];
  await shop.approve(early.commissionId);
  await shop.adjust(30);
  await shop.approve(other.commissionId);
  const until = await instantLater();
  await shop.approve(late.commissionId);
  await shop.adjust(70);
  await shop.adjust(-50);
  await shop.giveBack(early.transaction_id, { refund_amount_cents: 500 });
  await shop.giveBack(late.transaction_id, { refund_amount_cents: 500 });

  const draft = (await shop.create({ until })).body.data;
  expect(draft).toMatchObject({ until, totalCents: 1_380 });
  const line = { commissions: 2, commissionsCents: 1_400, adjustmentsCents: -20, broughtForwardCents: 0 };
  expect(draft.lines).toMatchObject([{ amountCents: 1_380, ...line }]);
  expect((await shop.confirm(draft.id, { expectedTotalCents: 1_380 })).body.data).toMatchObject({
    changes: [],
    lines: [{ amountCents: 1_380, ...line }],
  });
  const statuses = [early, other, late].map(({ commissionId }) => shop.statusOf(commissionId));
  expect(await Promise.all(statuses)).toEqual(["paid", "paid", "approved"]);
  expect(await shop.accounts()).toEqual({ pending: 0, payable: 370, inPayout: 0, paid: 1_380 });

  const next = (await shop.create()).body.data;
  expect(next.lines).toMatchObject([{ amountCents: 370, commissions: 1, commissionsCents: 300, adjustmentsCents: 70 }]);
  await shop.confirm(next.id);
  expect(await shop.statusOf(late.commissionId)).toBe("paid");
  expect(await shop.accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 1_750 });
});

test("a payout pays only commissions approved by its cutoff, even if no ledger entry lies between two approvals", async () => {
  const shop = await open();
  const sold = [await shop.earn(100), await shop.earn(20), await shop.earn(3)];
  const instants = [await instantLater()];
  for (const { commissionId } of sold) {
    await shop.approve(commissionId);
    instants.push(await instantLater());
  }
  expect(refusalOf(await shop.create({ until: instants[0] ?? "" }))).toBe("409 Nothing is payable");
  for (const [i, total] of [100, 120, 123].entries()) {
    const draft = (await shop.create({ until: instants[i + 1] ?? "" })).body.data;
    expect([draft.totalCents, draft.lines[0]?.commissions]).toEqual([total, i + 1]);
    await shop.cancel(draft.id);
  }
});

test("a draft payout keeps its cutoff: it excludes later approvals, and deducts later refunds", async () => {
  const shop = await open();
  const [first, second] = [await shop.earn(1_000), await shop.earn(500)];
  await shop.approve(first.commissionId);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const draft = (await shop.create({ until: later })).body.data;
  expect(Date.parse(draft.until)).toBeLessThanOrEqual(Date.now());
  await shop.approve(second.commissionId);
  await shop.adjust(70);
  await shop.giveBack(first.transaction_id, { refund_amount_cents: 1_000 });
  const final = (await shop.finalize(draft.id)).body.data;
  expect(final).toMatchObject({
    lines: [{ amountCents: 800, commissions: 1 }],
    changes: [{ beforeCents: 1_000, afterCents: 800, reason: "amount_changed" }],
  });
  expect(await shop.accounts()).toEqual({ pending: 0, payable: 570, inPayout: 800, paid: 0 });
});

test("a payout with an early cutoff doesn't pay again what an active line with a later cutoff has reserved", async () => {
  const shop = await open();
  const { alice, bob } = shop;
  const [first, second] = [await shop.earn(1_000), await shop.earn(500)];
  const ofBob = await shop.earn(300, { partner: bob });
  await shop.approve(first.commissionId);
  await shop.approve(ofBob.commissionId);
  const until = await instantLater();
  await shop.approve(second.commissionId);
  const live = (await shop.create({ partnerIds: [alice.id] })).body.data;
  await shop.finalize(live.id);
  expect((await shop.get(live.id)).lines).toMatchObject([{ partnerId: alice.id, amountCents: 1_500, commissions: 2 }]);

  const earlier = (await shop.create({ until })).body.data;
  await shop.confirm(earlier.id);
  expect(await shop.get(earlier.id)).toMatchObject({
    lines: [{ partnerId: bob.id, amountCents: 300, commissions: 1 }],
    skipped: [],
  });
  expect(refusalOf(await shop.create({ until }))).toBe("409 Nothing is payable");
  expect(await shop.get(live.id)).toMatchObject({ lines: [{ amountCents: 1_500, commissions: 2 }] });
});

test("a payout with an early cutoff pays the amount of a failed line again, even if another line with a later cutoff was paid", async () => {
  const shop = await open();
  const [first, second] = [await shop.earn(1_000), await shop.earn(500)];
  await shop.approve(first.commissionId);
  const until = await instantLater();
  const failing = (await shop.create()).body.data;
  await shop.confirm(failing.id);
  await shop.approve(second.commissionId);
  await shop.confirm((await shop.create()).body.data.id);
  await shop.fail(failing.id, shop.alice.id);
  const again = (await shop.create({ until })).body.data;
  expect(again.lines).toMatchObject([{ amountCents: 1_000, commissions: 1, broughtForwardCents: 0 }]);
  await shop.finalize(again.id);
  expect(await shop.accounts()).toEqual({ pending: 0, payable: 0, inPayout: 1_000, paid: 500 });
});

test("a debit counts as an adjustment in exactly one payout line, even if that line has no commissions", async () => {
  const shop = await open();
  const until = await instantLater();
  const paid = await shop.earn(1_000);
  await shop.approve(paid.commissionId);
  await shop.giveBack(paid.transaction_id, { refund_id: "r", refund_amount_cents: 500 });
  await shop.confirm((await shop.create()).body.data.id);
  await shop.giveBack(paid.transaction_id, { refund_id: "r", cancel: true });
  await shop.adjust(-30);
  const restored = (await shop.create({ until })).body.data;
  const line = { amountCents: 70, commissions: 0, adjustmentsCents: -30, broughtForwardCents: 100 };
  expect(restored.lines).toMatchObject([line]);
  await shop.confirm(restored.id);

  const next = await shop.earn(200);
  await shop.approve(next.commissionId);
  const draft = (await shop.create()).body.data;
  expect(draft.lines).toMatchObject([{ amountCents: 200, adjustmentsCents: 0, broughtForwardCents: 0 }]);
  await shop.finalize(draft.id);
});

test("ledger entries inserted directly into the database don't move a payout's cutoff", async () => {
  const shop = await openShop(people);
  await shop.sell({ amount_cents: 5_000 });
  await post(shop, [{ at: 1, amountCents: 30 }]);
  const payouts = `/api/programs/${shop.world.programId}/payouts`;
  const draft = (await people.admin.post<PayoutReply>(payouts, { currency: "EUR" })).body.data;
  expect(draft.totalCents).toBe(1_000);
  const final = await people.admin.post<PayoutReply>(`${payouts}/${draft.id}/finalize`, {});
  expect([final.status, final.body.data.totalCents]).toEqual([200, 1_000]);
});
