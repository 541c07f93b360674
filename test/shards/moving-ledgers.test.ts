import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { hourMs } from "#domain/calendar.ts";
import { type Env, shardOfLedger } from "#env.ts";
import { HandOver } from "#ledger/hand-over.ts";
import { loadOperation } from "#operations/table.ts";
import { recordClick } from "#operations/track/record-click.ts";
import { readBatch } from "#store/database.ts";
import { cutAt } from "#store/payout-ranges.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt, openDatabaseClient } from "../../harness/database-client.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { addShard } from "../../scripts/database/shards.ts";
import { beginMove, moveProgram } from "../../scripts/shards/mover.ts";
import { clickCall } from "../support/click-calls.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ofShard, startLedgers } from "../support/linked-ledgers.ts";
import { daysAgo } from "../support/program-fixture.ts";

async function startDatabases(): Promise<readonly [TestDatabase, TestDatabase]> {
  const [home, other] = await Promise.all([startDatabase(undefined, "sqld"), startDatabase(undefined, "sqld")]);
  await addShard(home, other, { shard: 1, location: null });
  return [home, other];
}

let databases: readonly TestDatabase[] = [];
let proxy: DatabaseProxy;
beforeAll(async () => {
  const [home, other] = await startDatabases();
  databases = [home, other];
  proxy = await startDatabaseProxy(home.url);
});
afterAll(async () => {
  await proxy.close();
  await Promise.all(databases.map((database) => database.dispose()));
});

const now = daysAgo(0);
const clockOf = (ahead: number) => ({ now: () => now + ahead, sleep: async () => {}, random: () => 0.5 });

/** Starts the Ledgers. The home shard's Ledger reaches its database through the proxy. */
function start(aheadAtHome = 0) {
  const ledgers = startLedgers([{ url: proxy.url }, ofShard(databases, 1)], now, (shard) =>
    clockOf(shard === 0 ? aheadAtHome : 0),
  );
  return { ...ledgers, places: ledgers.placesOf(databases) };
}

const rowsAt = async (shard: number, sql: string, id: number) => {
  const { rows } = await openDatabaseClient(databases[shard]?.url ?? "").execute({ sql, args: [id] });
  return rows;
};

test("the source shard writes nothing after a freeze whose reply was lost", async () => {
  const { of, places } = start();
  const world = await createWorld(databases[0]?.url ?? "", { partners: [{ code: "alice" }] });
  const click = (fields = {}) => of(0).submit(of(0).taskOf(recordClick, clickCall(world, now, fields), now)).outcome;
  expect((await click()).ok).toBe(true);
  const begun = await beginMove(places, world.programId, 1);
  // The freeze is committed, its reply is lost, and then the database becomes unreachable.
  const lift = [
    proxy.inject({ kind: "refuse" }, { only: "reads" }),
    proxy.inject({ kind: "refuse" }, { only: "writes" }),
  ];
  lift.push(proxy.inject({ kind: "cut" }, { only: "writes", times: 1 }));
  // Reads succeed again, but writes don't.
  lift[0]?.();
  await expect(places.step("freeze", begun, 30_000)).rejects.toThrow();
  const [frozen] = await rowsAt(0, "select place from programs where id = ?", world.programId);
  expect(frozen?.place).toBe("leaving");
  const kept = await click({ eventId: "kept" });
  expect(kept.ok).toBe(true);
  for (const each of lift) each();
  // The command repeats the step, and from then on considers the program frozen.
  await places.step("freeze", begun, 30_000).catch(() => {});
  for (let i = 0; i < 20; i += 1) {
    await of(0).loop.maintain();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const [place] = await rowsAt(0, "select place from programs where id = ?", world.programId);
  expect(place?.place).toBe("leaving");
  expect(
    await rowsAt(0, "select event_id from clicks where program_id = ? and event_id = 'kept'", world.programId),
  ).toEqual([]);
});

test("sales that are refused while their program is being migrated cause no database call after the first one", async () => {
  const { of, places } = start();
  const world = await createWorld(databases[0]?.url ?? "", { partners: [{ code: "waited" }] });
  const calls = callsOf(world, of(0));
  const sell = (transaction: string) => of(0).submit(calls.saleTask(transaction, now)).outcome;
  expect(await sell("before")).toMatchObject({ ok: true });
  const begun = await beginMove(places, world.programId, 1);
  await places.step("freeze", begun, 30_000);
  const moving = { ok: false, refusal: { code: "program_moving", programId: world.programId } };
  expect(await sell("first")).toMatchObject(moving);
  proxy.resetCounts();
  expect(await sell("first")).toMatchObject(moving);
  expect(await sell("second")).toMatchObject(moving);
  expect(proxy.counts.total).toBe(0);
  await places.step("abandon", begun, 0);
  expect(await sell("first")).toMatchObject({ ok: true });
});

test("posting times never go back, even if the target shard's clock is behind the source shard's", {
  tags: "soak",
}, async () => {
  const { of, places } = start(4_000);
  const policy = { scope: "lifetime", effectiveFrom: daysAgo(500), createdAt: daysAgo(500) } as const;
  const world = await createWorld(databases[0]?.url ?? "", { partners: [{ code: "bob" }], policies: [policy] });
  const atHome = callsOf(world, of(0));
  const sellAt = async (shard: number, transaction: string) => {
    const calls = callsOf(world, of(shard));
    return of(shard).submit(calls.saleTask(transaction, now)).outcome;
  };
  // The target shard has recorded a call before.
  await of(1).submit(of(1).taskOf(recordClick, clickCall({ ...world, programId: 1e12 + 77 }, now), now)).outcome;
  const lead = await of(0).submit(atHome.leadTask("key", [atHome.click(world.partner, now)])).outcome;
  expect(lead.ok).toBe(true);
  expect((await sellAt(0, "t1")).ok).toBe(true);
  await moveProgram(places, await beginMove(places, world.programId, 1));
  expect((await sellAt(1, "t2")).ok).toBe(true);
  const database = openDatabaseClient(databases[1]?.url ?? "");
  expect(await auditLedger(database, { programId: world.programId })).toEqual([]);
});

test("a payout up to an instant contains what was posted by then, even after another program was migrated to the shard", {
  tags: ["finding"],
}, async () => {
  // Uses separate databases, because this test controls the time of each posting.
  const [home, other] = await startDatabases();
  onTestFinished(() => Promise.all([home, other].map((each) => each.dispose())).then(() => {}));
  let at = now - 10 * hourMs;
  const { of, placesOf } = startLedgers([home, other], now, () => ({ ...clockOf(0), now: () => at }));
  const policy = { scope: "lifetime", effectiveFrom: daysAgo(500), createdAt: daysAgo(500) } as const;
  const settings = { partners: Array.from({ length: 20 }, () => ({})), policies: [policy] };
  const stays = await createWorld({ shard: 1, homeUrl: home.url, url: other.url }, settings);
  const comes = await createWorld(home.url, settings);
  /** Records a sale of each partner. Returns the newest posting number. */
  const sellAt = async (shard: number, world: World, hour: number) => {
    at = now + (hour - 10) * hourMs;
    const calls = callsOf(world, of(shard));
    const when = { at, occurredAt: at };
    const keyOf = ({ id }: { readonly id: number }) => `${id} ${hour}`;
    const leads = world.partners.map((partner) =>
      calls.lead("key", [calls.click(partner, at - 1_000)], keyOf(partner), when),
    );
    await Promise.all(leads);
    const sales = world.partners.map((partner) =>
      calls.sale(keyOf(partner), at, { ...when, customerKey: keyOf(partner) }),
    );
    for (const sale of await Promise.all(sales)) expect(sale).toMatchObject({ attributed: true });
    const [entry] = await world.rows("select max(id) as id from ledger_entries where program_id = ?", world.programId);
    return Number(entry?.id);
  };
  const first = await sellAt(1, stays, 1);
  await sellAt(0, comes, 3);
  await moveProgram(placesOf(), await beginMove(placesOf(), comes.programId, 1));
  const second = await sellAt(1, stays, 5);
  const counting = await startDatabaseProxy(other.url);
  const cutOf = async ({ programId }: World, hour: number) => {
    const of = { programId, currency: "EUR", until: now + (hour - 10) * hourMs };
    return (await readBatch(databaseAt(counting.url), { found: cutAt(of) })).found?.cut ?? 0;
  };
  for (const hour of [2, 4]) {
    expect(await cutOf(stays, hour)).toBeGreaterThanOrEqual(first);
    expect(await cutOf(stays, hour)).toBeLessThan(second);
  }
  expect(await cutOf(stays, 6)).toBeGreaterThanOrEqual(second);
  counting.resetCounts();
  await cutOf(stays, 4);
  const { rows } = counting.counts;
  // Steps of the binary search don't read the entries of each partner.
  expect(rows).toBeLessThan(20 * 40);
  await counting.close();
});

test("clicks held by a new freeze aren't released by maintenance that read the program's row before the freeze", async () => {
  const { of, run, places } = start();
  const world = await createWorld(databases[0]?.url ?? "", { partners: [{ code: "carol" }] });
  const { programId } = world;
  const click = (fields = {}) => of(0).submit(of(0).taskOf(recordClick, clickCall(world, now, fields), now)).outcome;
  expect((await click()).ok).toBe(true);
  const begun = await beginMove(places, programId, 1);
  const common = { at: now, programId, moveId: begun.moveId };
  await places.step("freeze", begun, 30_000);
  expect((await click({ eventId: "e1" })).ok).toBe(true);
  // The migration is abandoned. Maintenance has read the row, and is still busy with another program.
  expect((await run(0, { ...common, operationId: "a", kind: "abandon-move" })).ok).toBe(true);
  const read = { id: programId, place: "here", leftTo: null, leaveBy: null, moveId: begun.moveId } as const;
  // The migration command runs again.
  const again = await places.step("freeze", begun, 30_000).then(
    () => true,
    () => false,
  );
  if (!again) return;
  expect((await click({ eventId: "e2" })).ok).toBe(true);
  const ledger = of(0);
  await new HandOver(
    {
      ...{
        clock: clockOf(0),
        report: () => {},
        spill: ledger.spill,
        visitorKeys: ledger.visitorKeys,
        postingAt: () => now,
      },
      neighbors: { own: 0, ledgerOf: () => undefined as never, movedPrograms: async () => [] },
      taskOf: async (call) => ledger.taskOf(await loadOperation(call), call, now),
    },
    (task) => void ledger.loop.submit(task),
  ).endAll([read]);
  for (let i = 0; i < 10; i += 1) {
    ledger.loop.runIfDue();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  const [place] = await rowsAt(0, "select place from programs where id = ?", programId);
  expect(place?.place).toBe("leaving");
  expect(
    await rowsAt(0, "select event_id from clicks where program_id = ? and event_id is not null", programId),
  ).toEqual([]);
});

test("a Ledger whose shard isn't configured doesn't act as the home shard", () => {
  const env = { LEDGER_NAME: "main" } as Env;
  expect(() => shardOfLedger(env, "main/1")).toThrow();
});
