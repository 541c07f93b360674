import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { recordClick } from "#operations/track/record-click.ts";
import type { Database } from "#store/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { memoryStorage } from "../../scripts/sample/node-ledger.ts";
import { clickCall } from "../support/click-calls.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase();
const clock = { now: () => Date.now(), sleep: (ms: number) => delay(ms), random: () => 0.5 };

it("a Ledger that crashed during a batch detects no restore after its restart", async () => {
  const real = databaseAt(own.server.url);
  let isCut = false;
  let reads = 0;
  const cut = Promise.withResolvers<void>();
  const database: Database = {
    read: async (statements) => {
      const found = await real.read(statements);
      reads += 1;
      return found;
    },
    write: (statements) => {
      if (!isCut) return real.write(statements);
      cut.resolve();
      return new Promise(() => {});
    },
    roundTrips: 0,
  };
  const storage = memoryStorage();
  const world = await createWorld(own.server.url);
  const other = await createWorld(own.server.url);
  const ledger = ledgerOn(database, clock, storage);
  const calls = callsOf(world, ledger);
  const before = await calls.sale("before", daysAgo(1));
  // Power fails during a sale. A click has just read the settings of another program.
  isCut = true;
  ledger.submit(calls.saleTask("lost", daysAgo(1), {}, clock.now()));
  await cut.promise;
  const readsBefore = reads;
  ledger.submit(ledger.taskOf(recordClick, clickCall(other, clock.now()), clock.now()));
  await expect.poll(() => reads).toBeGreaterThan(readsBefore);

  const next = callsOf(world, ledgerOn(real, clock, storage));
  const after = await next.sale(randomBytes(4).toString("hex"), daysAgo(1));
  expect(after.saleId).toBeLessThan(before.saleId + 100);
});
