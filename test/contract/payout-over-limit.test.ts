import { expect, test } from "vitest";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

test("a payout excludes a line above the largest amount, and is refused if there is no other line", async () => {
  const { world, alice, create, cancel, earn, bob } = await payoutsFixture(people);
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  const setPayable = (cents: bigint) =>
    world.write({
      sql: `insert into partner_balances (program_id, currency, partner_id, payable_cents) values (?, 'EUR', ?, ${cents})
        on conflict do update set payable_cents = excluded.payable_cents`,
      args: [world.programId, alice.id],
    });
  await setPayable(most + 1n);
  const refused = await create();
  expect(refused.status).toBe(409);
  expect(refused.body.error?.message).toBe(
    "Every line was left out (over_limit). A payout pays at most 9007199254740991 of its currency's smallest unit.",
  );
  const left = { partnerId: alice.id, partnerCode: alice.code, beforeCents: 0, afterCents: 0, reason: "over_limit" };
  expect(refused.body.error?.details).toMatchObject({ code: "all_left_out", changes: [left] });

  await earn(1_000, { partner: bob });
  const { body } = await create();
  expect(body.data).toMatchObject({ totalCents: 1_000, lineCount: 1 });
  expect(body.data.skipped).toMatchObject([{ partnerId: alice.id, reason: "over_limit" }]);
  await cancel(body.data.id);
  await setPayable(0n);
});
