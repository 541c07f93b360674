import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { recordClick } from "#operations/track/record-click.ts";
import { createWorld } from "../../harness/world.ts";
import { clickCall } from "../support/click-calls.ts";
import { failingDatabase } from "../support/failing-database.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { ledgerOn } from "../support/own-ledger.ts";

const own = isolatedDatabase();

it("a click spilled during an outage isn't set aside permanently if the request that writes it stalled twice", async () => {
  const failing = failingDatabase(own.server.url, 8_000);
  const { database, clock, fails, tick } = failing;
  const ledger = ledgerOn(database, clock);
  const world = await createWorld(own.server.url);
  const visit = () => ledger.submit(ledger.taskOf(recordClick, clickCall(world, clock.now()), clock.now())).outcome;
  const maintain = async () => {
    tick(10_000);
    await ledger.loop.maintain();
    await delay(50);
  };
  await visit();
  fails.read = fails.write = () => true;
  for (let i = 0; i < 3; i += 1) expect(await visit()).toMatchObject({ ok: true });
  fails.read = () => false;
  // Two requests, a minute apart, are lost while the database is healthy.
  let stalls = 2;
  fails.write = (statements) => statements.some(({ sql }) => sql.includes('insert into "clicks"')) && stalls-- > 0;
  for (let i = 0; i < 10; i += 1) await maintain();
  await expect.poll(() => ledger.spill.counts).toEqual({ waiting: 0, setAside: 0 });
});
