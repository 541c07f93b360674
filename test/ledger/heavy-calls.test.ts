import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { probeTimeoutMs } from "#engine/outage.ts";
import { type Database, DatabaseError, type DatabaseFault } from "#store/database.ts";
import type { Statement } from "#store/statement.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { valuesIn } from "../support/sent-values.ts";

let server: TestDatabase;
beforeAll(async () => {
  server = await startDatabase();
});
afterAll(() => server.dispose());

type Sent = (statements: readonly Statement[]) => boolean;

/** Opens a database that fails certain requests, and a Ledger on it with the calls of two programs. */
async function open(
  isTooMuch: { readonly read?: Sent; readonly write?: Sent },
  { takesMs = 0, fault = { kind: "unknown" } }: { readonly takesMs?: number; readonly fault?: DatabaseFault } = {},
) {
  let now = daysAgo(0);
  const clock = {
    now: () => now,
    // Pauses between retries take no time, but timeouts do.
    sleep: async (ms: number) => {
      now += ms;
      if (ms === probeTimeoutMs) await delay(ms);
    },
    random: () => 0.5,
  };
  const real = databaseAt(server.url);
  let tries = 0;
  const asked = (mode: "read" | "write") => async (statements: readonly Statement[]) => {
    if (!isTooMuch[mode]?.(statements)) return real[mode](statements);
    tries += 1;
    now += takesMs;
    throw new DatabaseError(fault, "it does not work");
  };
  const database: Database = { read: asked("read"), write: asked("write"), roundTrips: 0 };
  const ledger = ledgerOn(database, clock);
  const [world, other] = await Promise.all([1, 2].map(() => createWorld(server.url, { partners: [{}, {}] })));
  if (world === undefined || other === undefined) throw new Error("two programs were made");
  onTestFinished(async () => expect(await world.audit()).toEqual([]));
  const [calls, others] = [callsOf(world, ledger), callsOf(other, ledger)];
  await calls.sale("warm", daysAgo(1), { customerKey: "warm" });
  await others.sale("warm", daysAgo(1), { customerKey: "warm" });
  const stored = async () =>
    (await world.rows("select transaction_id as t from sales where program_id = ? order by t", world.programId)).map(
      ({ t }) => t,
    );
  return { ...calls, ...ledger, world, others, stored, tries: () => tries };
}

const mentions =
  (text: string): Sent =>
  (statements) =>
    statements.some((each) => valuesIn(each).includes(text));
const refused = (retryAfterSeconds: number) => ({ ok: false, refusal: { code: "unavailable", retryAfterSeconds } });

describe.each(["read", "write"] as const)("a call whose %s always fails", (mode) => {
  it("a call that always fails is the only one refused: the other calls of its batch and later calls succeed", async () => {
    const { saleTask, submit, others, stored, faults } = await open({ [mode]: mentions("heavy") });
    const names = ["a", "heavy", "b"];
    const tasks = names.map((name) => submit(saleTask(name, daysAgo(1), { customerKey: name })));
    const beside = submit(others.saleTask("beside", daysAgo(1)));
    const [a, heavy, b] = await Promise.all(tasks.map(({ outcome }) => outcome));
    expect([a, b, await beside.outcome]).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
    expect(heavy).toMatchObject(refused(60));
    expect(faults).toContain("ledger.round_failed");
    expect(faults).not.toContain("ledger.database_lost");
    await others.sale("later", daysAgo(1));
    expect(await stored()).toEqual(["a", "b", "warm"]);
  });
});

it("a failing call that is alone in its batch is retried once, and then refused", async () => {
  const { saleTask, submit, others, faults } = await open({ write: mentions("heavy") });
  const heavy = submit(saleTask("heavy", daysAgo(1)));
  const behind = submit(others.saleTask("behind", daysAgo(1)));
  expect(await heavy.outcome).toMatchObject(refused(60));
  expect(await behind.outcome).toMatchObject({ ok: true });
  expect(faults).not.toContain("ledger.database_lost");
});

it("a batch of calls that times out isn't repeated, and the call with the most to write is refused", async () => {
  const { world, saleTask, click, submit, tries } = await open({ write: mentions("heavy") }, { takesMs: 8_000 });
  const shown = click(world.partner, daysAgo(2));
  const more = { customerKey: "heavy", clicks: [shown], clickId: shown.clickId, sentClickId: true };
  const heavy = submit(saleTask("heavy", daysAgo(1), more));
  const light = submit(saleTask("light", daysAgo(1), { customerKey: "light" }));
  expect(await light.outcome).toMatchObject({ ok: true });
  expect(await heavy.outcome).toMatchObject(refused(60));
  expect(tries()).toBe(1);
});

it("calls that are too large for one commit are committed one by one", async () => {
  const sales = (statements: readonly Statement[]) =>
    statements.flatMap(valuesIn).filter((arg) => String(arg).startsWith("one of many"));
  const { saleTask, submit, stored, faults } = await open({ write: (statements) => sales(statements).length > 1 });
  const tasks = [1, 2, 3].map((n) => submit(saleTask(`one of many ${n}`, daysAgo(1), { customerKey: `c${n}` })));
  for (const { outcome } of tasks) expect(await outcome).toMatchObject({ ok: true });
  expect(await stored()).toHaveLength(4);
  expect(faults).toEqual([]);
});

it("the Ledger treats a database that can't serve writes as unreachable, even if it accepts a claim", async () => {
  let isFull = true;
  const { saleTask, submit, others, faults, loop, sale } = await open(
    { write: (statements) => isFull && statements.some((each) => valuesIn(each).includes("a")) },
    { fault: { kind: "unable" } },
  );
  const tasks = [submit(saleTask("a", daysAgo(1))), submit(others.saleTask("b", daysAgo(1)))];
  for (const { outcome } of tasks) expect(await outcome).toMatchObject(refused(2));
  expect(faults).toContain("ledger.database_lost");
  isFull = false;
  await loop.maintain();
  await sale("a", daysAgo(1));
});

it("the Ledger treats a database that doesn't respond as unreachable, and refuses waiting calls until it responds", async () => {
  let isAway = false;
  const away = () => isAway;
  const { saleTask, submit, others, faults, loop, sale } = await open({ read: away, write: away });
  isAway = true;
  const tasks = [submit(saleTask("a", daysAgo(1))), submit(others.saleTask("b", daysAgo(1)))];
  for (const { outcome } of tasks) expect(await outcome).toMatchObject(refused(2));
  expect(faults).toContain("ledger.database_lost");
  isAway = false;
  await loop.maintain();
  await sale("a", daysAgo(1));
});
