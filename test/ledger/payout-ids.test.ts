import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld } from "../../harness/world.ts";
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

test("the id of a removed draft is never used again, also after a restart", async () => {
  const world = await createWorld(database.url, { partners: Array.from({ length: 103 }, () => ({})) });
  const { programId } = world;
  const ids = JSON.stringify(world.partners.map(({ id }) => id));
  await world.write(
    {
      sql: `insert into adjustments (id, program_id, partner_id, amount_cents, currency, reason, reference, created_by, created_at)
        select value, ?, value, 5, 'EUR', 'bonus', 'r', 'u', 1 from json_each(?)`,
      args: [programId, ids],
    },
    {
      sql: `insert into ledger_entries (id, program_id, is_test, partner_id, kind, amount_cents, currency, occurred_at, created_at, day, adjustment_id)
        select value, ?, 0, value, 'adjusted', 5, 'EUR', 1, 1, '1970-01-01', value from json_each(?)`,
      args: [programId, ids],
    },
  );
  const restarted = () => payoutCalls(world, ownLedger(database.url, clock), now);
  const first = restarted();
  const { id } = await first.create("EUR", 100);
  expect(await first.finish(id)).toBeUndefined();
  expect((await restarted().create("EUR")).id).toBeGreaterThan(id);
});
