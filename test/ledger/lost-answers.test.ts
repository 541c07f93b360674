import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Alarm } from "../../src/ledger/alarm.ts";
import { changeTasks } from "../../src/ledger/changes.ts";
import { Writer } from "../../src/ledger/fence.ts";
import { KeyUse } from "../../src/ledger/key-use.ts";
import { Loop } from "../../src/ledger/loop.ts";
import { SettingsCache } from "../../src/ledger/settings-cache.ts";
import { Spill } from "../../src/ledger/spill.ts";
import { type Task, taskOf } from "../../src/ledger/task.ts";
import { VisitorKeys } from "../../src/ledger/visitor-keys.ts";
import { startDatabase, type TestDatabase } from "../support/database.ts";
import { failingDatabase, type Sent } from "../support/failing-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { testClickKeys, testSecrets } from "../support/service.ts";
import { daysAgo } from "../support/shop.ts";
import { createWorld } from "../support/world.ts";

let server: TestDatabase;
beforeAll(async () => {
  server = await startDatabase();
});
afterAll(() => server.dispose());

/** A Ledger whose alarm is seen. */
function open(takesMs = 0) {
  const { database, clock, fails } = failingDatabase(server.url, takesMs);
  const storage = memoryStorage();
  const writer = new Writer(database, clock);
  const spill = new Spill(storage);
  const visitorKeys = new VisitorKeys({ sql: storage, clock, newKey: () => randomUUID(), onMade: () => {} });
  const faults: unknown[] = [];
  const alarms: unknown[] = [];
  const setAlarm = async (at: number | Date) => void alarms.push(at);
  const loop = new Loop({
    writer,
    spill,
    visitorKeys,
    clock,
    alarm: new Alarm({ setAlarm }, clock, () => {}),
    context: {
      settings: new SettingsCache(spill),
      keyUse: new KeyUse((event, error) => faults.push(event, error)),
      clickKeys: testClickKeys,
      hashSecret: testSecrets.HASH_SECRET,
      visitorKey: (day) => visitorKeys.of(day),
      newId: (table) => writer.newId(table),
      postingAt: () => writer.postingAt(),
      report: (event, error) => faults.push(event, error),
    },
    abort: () => {},
  });
  const submit = <T extends Task>(task: T): T => {
    loop.submit(task);
    return task;
  };
  return { loop, storage, spill, visitorKeys, writer, faults, submit, changeTasks, taskOf, fails, alarms, clock };
}

it("the alarm is set for the end of a hold whose commit was never answered", async () => {
  const ledger = open();
  const { fails, alarms } = ledger;
  const world = await createWorld(server.url);
  const calls = callsOf(world, ledger);
  await calls.lead("key", [calls.click(world.partner, daysAgo(3))], "c1", { occurredAt: daysAgo(2) });
  expect(alarms).toEqual([]);
  const isItsBatch: Sent = (statements) =>
    statements.some(({ sql, args }) => sql.startsWith('insert into "sales"') && args.includes("s"));
  fails.answer = (statements) => {
    if (!isItsBatch(statements)) return false;
    fails.write = isItsBatch;
    return true;
  };
  const { commission } = await calls.sale("s", daysAgo(1));
  expect(commission.status).toBe("pending");
  await delay(50);
  expect(alarms).not.toEqual([]);
});

it("a call of another program is answered in time while many that are too much are tried one by one", async () => {
  const ledger = open(8_000);
  const [world, other] = await Promise.all([createWorld(server.url), createWorld(server.url)]);
  const [calls, others] = [callsOf(world, ledger), callsOf(other, ledger)];
  await calls.sale("warm", daysAgo(1));
  await others.sale("warm", daysAgo(1));
  ledger.fails.read = (statements) =>
    statements.some(({ args }) => args.some((arg) => String(arg).startsWith("too much")));
  const start = ledger.clock.now();
  const tasks = Array.from({ length: 20 }, (_, i) =>
    ledger.submit(calls.saleTask(`too much ${i}`, daysAgo(1), { customerKey: `c${i}` })),
  );
  await delay(0);
  await ledger.submit(others.saleTask("beside", daysAgo(1))).outcome;
  // By the Ledger's clock: a call that has waited for 9 seconds is to hear 503.
  expect(ledger.clock.now() - start).toBeLessThan(30_000);
  await Promise.all(tasks.map(({ outcome }) => outcome));
});
