import { expect, test } from "vitest";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { refusalOf, signUpUsers } from "../support/users-fixture.ts";

const people = signUpUsers();
const minute = 60_000;

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
