import { afterAll, beforeAll, expect, test } from "vitest";
import { readFileLines } from "#store/views/payouts.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };

let server: TestDatabase;
beforeAll(async () => {
  server = await startDatabase();
});
afterAll(() => server.dispose());

test("the lines of a payment list are read in the same transaction as their payout's state", async () => {
  const ledger = ownLedger(server.url, clock);
  const world = await createWorld(server.url, { policies: [{ holdDays: 0 }] });
  const { lead, sale, click } = callsOf(world, ledger);
  await lead("key", [click(world.partner, daysAgo(4))]);
  await sale("s1", daysAgo(2));
  const { create, change } = payoutCalls(world, ledger, now);
  const { id } = await create("EUR");
  await change("finalize-payout", "one", { payoutId: id });
  const database = databaseAt(server.url);
  const read = () => readFileLines(database, { programId: world.programId, id }, 0, 10);
  expect(await read()).toMatchObject({ payout: { status: "final" }, lines: [{ amountCents: 200 }] });
  await change("cancel-payout", "one", { payoutId: id });
  expect(await read()).toMatchObject({ payout: { status: "canceled" }, lines: [{ amountCents: 200 }] });
  expect(database.roundTrips).toBe(2);
  expect(await readFileLines(database, { programId: world.programId + 1, id }, 0, 10)).toBeUndefined();
});
