import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { taskOf } from "../../src/ledger/task.ts";
import { recordClick } from "../../src/operations/record-click.ts";
import { clickCall } from "../support/click-calls.ts";
import { startDatabase, type TestDatabase } from "../support/database.ts";
import { failingDatabase } from "../support/failing-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/shop.ts";
import { createWorld } from "../support/world.ts";

let server: TestDatabase;
beforeAll(async () => {
  server = await startDatabase();
});
afterAll(() => server.dispose());

/** A Ledger whose database and whose own storage can fail. */
async function open() {
  const { database, clock, ...failing } = failingDatabase(server.url);
  const storage = memoryStorage();
  let isFull = false;
  const exec: typeof storage.exec = (query, ...bindings) => {
    if (isFull && !query.trim().startsWith("select")) throw new Error("database or disk is full: SQLITE_FULL");
    return storage.exec(query, ...bindings);
  };
  const ledger = ledgerOn(database, clock, { exec });
  const world = await createWorld(server.url);
  const calls = callsOf(world, ledger);
  const visit = () => {
    const call = clickCall(world, clock.now());
    const seen = { ...call, visit: { ...call.visit, visitorDigest: "visitor" } };
    return ledger.submit(taskOf(recordClick, seen, clock.now())).outcome;
  };
  expect(await visit()).toMatchObject({ ok: true });
  await calls.lead("key", [calls.click(world.partner, daysAgo(3))], "c1", { occurredAt: daysAgo(2) });
  const { commissionId } = await calls.sale("first", daysAgo(1));
  const fill = () => {
    isFull = true;
  };
  /** One after another, with the alarm between them. */
  const sellSome = async () => {
    const outcomes: boolean[] = [];
    for (const transactionId of ["a", "b", "c", "d", "e"]) {
      failing.tick(5_000);
      await ledger.loop.upkeep().catch(() => {});
      const task = calls.saleTask(transactionId, daysAgo(1));
      outcomes.push((await ledger.submit(task).outcome).ok);
    }
    return outcomes;
  };
  return { ...calls, ...failing, world, visit, fill, sellSome, commissionId };
}

it("a kept click that the database never manages keeps no sale from being recorded", async () => {
  const { ledger, fails, visit, sellSome } = await open();
  fails.read = fails.write = () => true;
  expect(await visit()).toMatchObject({ ok: true });
  const clickId = ledger.spill.oldest(1)[0]?.click.clickId ?? "";
  fails.read = () => false;
  fails.write = (statements) => statements.some(({ args }) => args.includes(clickId));
  expect(await sellSome()).toContain(true);
});

it("a maturing that the database never manages keeps no sale from being recorded", async () => {
  const { world, fails, sellSome, commissionId } = await open();
  const sql = "update commissions set hold_until = ? where id = ?";
  await world.write({ sql, args: [daysAgo(0) - 1, commissionId] });
  fails.write = (statements) => statements.some((each) => each.sql.startsWith('update "commissions"'));
  expect(await sellSome()).toContain(true);
});

it("a click is recorded though the object's own storage has no room for the day's visitor key", async () => {
  const { visit, fill, tick } = await open();
  fill();
  expect(await visit()).toMatchObject({ ok: true });
  tick(24 * 3_600_000);
  expect(await visit()).toMatchObject({ ok: true });
});

it("what is ripe is approved though the object's own storage can't let go of an expired visitor key", async () => {
  const { ledger, fill, tick, commissions } = await open();
  fill();
  tick(20 * 24 * 3_600_000);
  await ledger.loop.upkeep().catch(() => {});
  await delay(300);
  expect(await commissions()).toMatchObject([{ status: "approved" }]);
});
