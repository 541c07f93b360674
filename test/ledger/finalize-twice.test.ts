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

/** Makes a second call while the first, of another user, is under way. */
async function secondOf(first: readonly [Kind, object], second: readonly [Kind, object]) {
  const ledger = ownLedger(database.url, clock);
  const world = await createWorld(database.url, { policies: [{ holdDays: 0 }] });
  const { lead, sale, click } = callsOf(world, ledger);
  await lead("key", [click(world.partner, daysAgo(4))]);
  await sale("s1", daysAgo(2), { customerKey: "c1" });
  const { create, change, finish } = payoutCalls(world, ledger, now);
  const { id: payoutId } = await create("EUR");
  await change(first[0], "one", { payoutId, ...first[1] });
  const outcome = await change(second[0], "two", { payoutId, ...second[1] });
  const payout = await finish(payoutId);
  return [outcome.ok ? "ok" : outcome.refusal.code, payout?.status, payout?.total_cents];
}
type Kind = "finalize-payout" | "confirm-payout";

const expects = (expectedTotalCents: number) => ({ expectedTotalCents });

test.each([
  ["finalize-payout", "final"],
  ["confirm-payout", "paid"],
] as const)("a second %s waits with the first, unless it expects another total", async (kind, status) => {
  expect(await secondOf([kind, expects(200)], [kind, expects(200)])).toEqual(["ok", status, 200]);
  expect(await secondOf([kind, expects(200)], [kind, expects(205)])).toEqual(["total_differs", status, 200]);
  expect(await secondOf([kind, {}], [kind, expects(205)])).toEqual(["ok", "draft", 200]);
});

test("a finalization that includes changed addresses is no answer to one that doesn't", async () => {
  const includes = { includesChangedUntil: now };
  expect(await secondOf(["finalize-payout", includes], ["finalize-payout", {}])).toEqual(["busy", "final", 200]);
});
