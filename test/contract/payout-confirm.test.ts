import { expect, test } from "vitest";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { refusalOf, signUpUsers } from "../support/users-fixture.ts";

const people = signUpUsers();
const minute = 60_000;

/** A draft of 10.00 that another call is finalizing, halfway. */
async function openFinalizing() {
  const shop = await payoutsFixture(people);
  await shop.earn(1_000);
  const { id } = (await shop.create()).body.data;
  await shop.write(
    `update payouts set status = 'finalizing', phase = 'composing', total_cents = 0, line_count = 0, cursor_partner_id = 0,
      finalized_at = created_at, finalized_by = created_by where id = ?`,
    id,
  );
  return { ...shop, id };
}

test("a payout that is being finalized is confirmed with it, and can't be canceled meanwhile", async () => {
  const { id, cancel, confirm, get } = await openFinalizing();
  expect((await cancel(id)).body.error?.details).toEqual({ reason: "busy" });
  const paidAt = "2026-03-01T10:00:00.000Z";
  const paid = await confirm(id, { paidAt, note: "by wire", expectedTotalCents: 1_000 });
  expect([paid.status, paid.body.data]).toMatchObject([200, { status: "paid", paidAt, note: "by wire" }]);
  expect(await get(id)).toMatchObject({ status: "paid", totalCents: 1_000 });
});

test("one that comes to another total than its confirmation expects is a draft again", async () => {
  const { id, confirm, get } = await openFinalizing();
  const refused = await confirm(id, { expectedTotalCents: 5 });
  expect(refusalOf(refused)).toBe("409 The payout's total differs from expectedTotalCents");
  expect(await get(id)).toMatchObject({ status: "draft", totalCents: 1_000, paidAt: null });
});

test("money may have been sent before the payout was made, and not in the future", async () => {
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
