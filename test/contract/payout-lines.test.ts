import { expect, test } from "vitest";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

test("a payout doesn't count fully reversed commissions, and has no line for them", async () => {
  const shop = await payoutsFixture(people);
  const { alice, bob } = shop;
  await shop.earn(1_000);
  await shop.giveBack((await shop.earn(500)).transaction_id);
  await shop.giveBack((await shop.earn(300, { partner: bob })).transaction_id);
  const draft = (await shop.create()).body.data;
  expect(draft).toMatchObject({ lines: [{ partnerId: alice.id, amountCents: 1_000, commissions: 1 }], skipped: [] });
  const paid = (await shop.confirm(draft.id)).body.data;
  expect(paid).toMatchObject({ status: "paid", lines: [{ commissions: 1 }], skipped: [], changes: [] });
});
