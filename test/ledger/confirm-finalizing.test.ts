import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

/** Confirms a payout that the user "one" is finalizing, then takes the steps that are left. */
async function confirmedWhileFinalizing(payoutApproval: "one_person" | "two_people", actorId: string) {
  const ledger = ownLedger(database.url, clock);
  const world = await createWorld(database.url, { policies: [{ holdDays: 0 }], program: { payoutApproval } });
  const { lead, sale, click } = callsOf(world, ledger);
  await lead("key", [click(world.partner, daysAgo(4))]);
  await sale("s1", daysAgo(2), { customerKey: "c1" });
  const { create, change, finish } = payoutCalls(world, ledger, now);
  const { id: payoutId } = await create("EUR");
  await change("finalize-payout", "one", { payoutId });
  const confirmed = await change("confirm-payout", actorId, { payoutId, note: "by wire" });
  const payout = await finish(payoutId);
  return { refusal: confirmed.ok ? undefined : confirmed.refusal.code, payout };
}

test.each([
  ["one_person", "one"],
  ["two_people", "two"],
] as const)("with %s, a confirmation by %s is kept until the payout is final", async (approval, actorId) => {
  const { refusal, payout } = await confirmedWhileFinalizing(approval, actorId);
  expect(refusal).toBeUndefined();
  expect(payout).toMatchObject({ status: "paid", confirmed_by: actorId, note: "by wire" });
});

test("with two people, the one who finalizes can't confirm", async () => {
  const { refusal, payout } = await confirmedWhileFinalizing("two_people", "one");
  expect(refusal).toBe("same_person");
  expect(payout).toMatchObject({ status: "final", confirmed_by: null });
});
