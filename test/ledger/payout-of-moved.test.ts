import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBatch } from "#store/database.ts";
import { entriesOf } from "#store/reports/explain-facts.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const now = daysAgo(0);
let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

test("after a sale moves to another partner, the ledger entries of its former partner belong to no payout", async () => {
  const clock = { now: () => now, sleep: () => delay(1), random: () => 0.5 };
  const ledger = ownLedger(database.url, clock);
  const world = await createWorld(database.url, { partners: [{}, {}], policies: [{ holdDays: 0 }] });
  const calls = callsOf(world, ledger);
  const [a, b] = world.partners;
  if (a === undefined || b === undefined) throw new Error("two");
  await calls.lead("key", [calls.click(a, daysAgo(6))], "other");
  await calls.sale("of-a", daysAgo(2), { customerKey: "other" });
  await calls.lead("browser", [calls.click(a, daysAgo(6))], "c1");
  await calls.sale("moving", daysAgo(2), { customerKey: "c1" });
  await calls.lead("key", [calls.click(b, daysAgo(5))], "c1");
  const payouts = payoutCalls(world, ledger, now);
  const { id: payoutId } = await payouts.create("EUR");
  expect(await payouts.change("confirm-payout", "one", { payoutId })).toMatchObject({ ok: true });
  const [c] = await world.rows(
    "select c.id, c.partner_id, c.status, c.payable_number from commissions c join sales s on s.id = c.sale_id where s.transaction_id = 'moving' and c.program_id = ?",
    world.programId,
  );
  const store = databaseAt(database.url);
  const query = {
    programId: world.programId,
    isTest: false,
    isTestElsewhere: true,
    key: Number(c?.id),
    refundId: null,
    at: now,
  };
  const { found } = await readBatch(store, { found: entriesOf("commission")(query as never) });
  expect(found.filter(({ partnerId }) => partnerId === a.id).map(({ payoutReference }) => payoutReference)).toEqual([
    null,
    null,
  ]);
});
