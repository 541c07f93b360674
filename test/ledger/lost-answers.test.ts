import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { recordClick } from "#operations/track/record-click.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld } from "../../harness/world.ts";
import { clickCall } from "../support/click-calls.ts";
import { failingDatabase, type Sent } from "../support/failing-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { valuesIn } from "../support/sent-values.ts";

let server: TestDatabase;
beforeAll(async () => {
  // Uses sqld, whose responses take long enough for other calls to arrive.
  server = await startDatabase(undefined, "sqld");
});
afterAll(() => server.dispose());

function open(takesMs = 0) {
  const { database, clock, fails } = failingDatabase(server.url, takesMs);
  return { ...ledgerOn(database, clock), fails, clock };
}

it("the Ledger's alarm is set for the end of a hold even if the reply to the sale's commit was lost", async () => {
  const ledger = open();
  const { fails, alarms } = ledger;
  const world = await createWorld(server.url);
  const calls = callsOf(world, ledger);
  await calls.lead("key", [calls.click(world.partner, daysAgo(3))], "c1", { occurredAt: daysAgo(2) });
  expect(alarms).toEqual([]);
  const isItsBatch: Sent = (statements) =>
    statements.some((each) => each.sql.includes('insert into "sales"') && valuesIn(each).includes("s"));
  fails.answer = (statements) => {
    if (!isItsBatch(statements)) return false;
    fails.write = isItsBatch;
    return true;
  };
  const { commission } = await calls.sale("s", daysAgo(1));
  expect(commission.status).toBe("pending");
  await expect.poll(() => alarms).not.toEqual([]);
});

it("a click whose commit is durable is accepted even if a later read fails", async () => {
  const { fails, submit, taskOf } = open();
  const world = await createWorld(server.url);
  const now = daysAgo(0);
  const click = (code: string) =>
    submit(taskOf(recordClick, clickCall(world, now, { eventId: "e", operationId: code }), now)).outcome;
  let isLost = false;
  const once =
    (isIt: Sent): Sent =>
    (statements) => {
      const isHit = !isLost && isIt(statements);
      isLost ||= isHit;
      return isHit;
    };
  fails.answer = once((statements) => statements.some(({ sql }) => sql.includes('insert into "clicks"')));
  let refusals = 0;
  fails.refused = (statements) => {
    const isReadBack = isLost && statements.every(({ sql }) => !sql.includes("insert into")) && refusals === 0;
    const isOfEvent = isReadBack && statements.some(({ sql }) => sql.includes("click_event_ids"));
    refusals += isOfEvent ? 1 : 0;
    return isOfEvent;
  };
  const first = await click("00000000000000aa");
  expect([isLost, refusals]).toEqual([true, 1]);
  expect(first).toMatchObject({ ok: true, answer: { recorded: true } });
  const again = await click("00000000000000bb");
  expect(again).toMatchObject({ answer: first.ok ? first.answer : undefined });
});

/** Sends twenty calls that the database can't finish in time, followed by one call of another program. */
async function crowd(takesMs: number) {
  const ledger = open(takesMs);
  const [world, other] = await Promise.all([createWorld(server.url), createWorld(server.url)]);
  const [calls, others] = [callsOf(world, ledger), callsOf(other, ledger)];
  await calls.sale("warm", daysAgo(1));
  await others.sale("warm", daysAgo(1));
  ledger.fails.read = (statements) =>
    statements.some((each) => valuesIn(each).some((value) => String(value).startsWith("too much")));
  const start = ledger.clock.now();
  const tasks = Array.from({ length: 20 }, (_, i) =>
    ledger.submit(calls.saleTask(`too much ${i}`, daysAgo(1), { customerKey: `c${i}` })),
  );
  await delay(0);
  const { ok } = await ledger.submit(others.saleTask("beside", daysAgo(1))).outcome;
  const tookMs = ledger.clock.now() - start;
  await Promise.all(tasks.map(({ outcome }) => outcome));
  return { ok, tookMs };
}

it("a call of another program is decided between calls that are retried one by one", async () => {
  expect(await crowd(0)).toMatchObject({ ok: true });
});

it("a call of another program is answered in time even if each call that is retried takes long", async () => {
  const { tookMs } = await crowd(8_000);
  expect(tookMs).toBeLessThan(20_000);
});
