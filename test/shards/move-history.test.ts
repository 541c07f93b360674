/** @module-tag soak */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LedgerTask } from "#ledger/task.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import type { World } from "../../harness/world.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { withClient } from "../../scripts/database/client.ts";
import { addShard } from "../../scripts/database/shards.ts";
import { abandonMove, beginMove, moveProgram, openMove, StepRefused } from "../../scripts/shards/mover.ts";
import { type Call, history, type Scope, scope } from "../ledger/serial-history.ts";
import { SerialProgram } from "../ledger/serial-program.ts";
import { longestMs } from "../support/breadth.ts";
import { ofShard, startLedgers } from "../support/linked-ledgers.ts";
import type { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

// Compares random histories whose program is migrated between three shards, with interruptions, to the same histories
// on one shard.

const numRuns = Number(process.env.MOVE_HISTORIES ?? 1);
const shards = [0, 1, 2] as const;

const databases: TestDatabase[] = [];
const proxies: DatabaseProxy[] = [];
beforeAll(async () => {
  databases.push(...(await Promise.all(shards.map(() => startDatabase(undefined, "sqld")))));
  const [home, ...others] = databases;
  if (home === undefined) throw new Error("home has not been started");
  for (const [i, database] of others.entries()) await addShard(home, database, { shard: i + 1, location: null });
  proxies.push(...(await Promise.all(databases.map(({ url }) => startDatabaseProxy(url)))));
});
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await Promise.all(databases.map((database) => database.dispose()));
});

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };

const start = () => startLedgers(databases, now, () => clock);
type Places = ReturnType<typeof start>["placesOf"];

interface MoveTry {
  /** The number of calls before the migration. */
  readonly after: number;
  readonly to: number;
  /** The number of requests to each database after which the migrating process dies. */
  readonly diesAfter: number | undefined;
  readonly isAbandoned: boolean;
}
const moveTry: fc.Arbitrary<MoveTry> = fc.record({
  after: fc.integer({ min: 0, max: 8 }),
  to: fc.constantFrom(...shards),
  diesAfter: fc.option(fc.integer({ min: 0, max: 120 }), { nil: undefined }),
  isAbandoned: fc.boolean(),
});

/**
 * Returns the shards whose row of the program states that they decide its calls. There is none during the hand-over.
 */
async function placesHere({ programId }: World): Promise<number[]> {
  const found = await Promise.all(
    databases.map(async ({ url }, shard) => {
      const sql = "select 1 from programs where id = ? and place = 'here'";
      const { rows } = await openDatabaseClient(url).execute({ sql, args: [programId] });
      return rows.map(() => shard);
    }),
  );
  return found.flat();
}

async function tryMove(places: Places, world: World, move: MoveTry): Promise<void> {
  const [from] = await placesHere(world);
  if (from === move.to) return;
  const watch = watchOwners(world);
  try {
    await moveUnderWatch(places, world, move);
  } finally {
    expect(await watch.stop()).toBeLessThanOrEqual(1);
  }
}

/** Checks repeatedly how many shards decide the program's calls. */
function watchOwners(world: World) {
  const state = { isOver: false };
  const watched = (async () => {
    let most = 0;
    while (!state.isOver) most = Math.max(most, (await placesHere(world)).length);
    return most;
  })();
  const stop = () => {
    state.isOver = true;
    return watched;
  };
  return { stop };
}

async function moveUnderWatch(placesOf: Places, world: World, { to, diesAfter, isAbandoned }: MoveTry): Promise<void> {
  const direct = placesOf();
  const move = await beginMove(direct, world.programId, to);
  if (diesAfter !== undefined) {
    const lift = proxies.map((proxy) => proxy.inject({ kind: "refuse" }, { after: diesAfter }));
    await moveProgram(placesOf(proxies), move).catch(() => {});
    for (const each of lift) each();
    expect((await placesHere(world)).length).toBeLessThanOrEqual(1);
    // The migration may have a new number by now, or be over.
    const open = await withClient(ofShard(databases, 0), (client) => openMove(client, world.programId));
    if (isAbandoned && open !== undefined) {
      const stays = await abandonMove(direct, open).then(
        () => true,
        (error) => (error instanceof StepRefused ? false : Promise.reject(error)),
      );
      if (stays) return;
    }
    if (open !== undefined) await moveProgram(direct, open);
  } else await moveProgram(direct, move);
  expect(await placesHere(world)).toEqual([to]);
}

const open = (ledger: ReturnType<typeof ledgerOn>, scope: Scope) =>
  SerialProgram.open(ofShard(databases, 0).url, ledger, scope);

/** Sends the calls one by one to the Ledger that has the program, with migrations in between. */
async function send(calls: readonly Call[], moves: readonly MoveTry[], scope: Scope) {
  const started = start();
  const program = await open(started.of(0), scope);
  const outcomes: Awaited<LedgerTask["outcome"]>[] = [];
  const sendNext = async () => {
    const i = outcomes.length;
    const call = calls[i];
    const [shard] = await placesHere(program.world);
    // Calls of a frozen program would wait for the end of the migration.
    if (call === undefined || shard === undefined) return;
    program.continueAt(started.of(shard));
    outcomes[i] = await started.of(shard).submit(program.taskOf(call, i, program.knows(call))).outcome;
  };
  const left = [...moves];
  let due = left[0]?.after ?? Number.POSITIVE_INFINITY;
  while (outcomes.length < calls.length) {
    for (let next = left[0]; next !== undefined && outcomes.length >= due; next = left[0]) {
      await tryMove(started.placesOf, program.world, next);
      left.shift();
      due = outcomes.length + (left[0]?.after ?? 0) + 1;
    }
    await sendNext();
  }
  const [shard = 0] = await placesHere(program.world);
  const client = openDatabaseClient(ofShard(databases, shard).url);
  const reader: Pick<World, "allRows"> = {
    allRows: async (queries) => {
      const names = Object.keys(queries) as (keyof typeof queries)[];
      const results = await client.batch(
        names.map((name) => ({ sql: queries[name], args: [program.world.programId] })),
        "read",
      );
      return Object.fromEntries(names.map((name, i) => [name, results[i]?.rows ?? []])) as never;
    },
  };
  const told = await program.told(calls, outcomes, reader);
  const findings = await auditLedger(client, { programId: program.world.programId });
  return { told, findings, faults: shards.flatMap((each) => started.of(each).faults) };
}

test("a program has the same history with and without migrations", {
  timeout: Math.max(longestMs, numRuns * 40_000),
}, async () => {
  const property = fc.asyncProperty(
    history,
    fc.array(moveTry, { minLength: 2, maxLength: 5 }),
    scope,
    async (bursts, moves, scope) => {
      const calls = bursts.flatMap((burst) => burst.calls.map(({ call }) => call));
      const moved = await send(calls, moves, scope);
      const stayed = await send(calls, [], scope);
      for (const [i, call] of calls.entries()) {
        expect(moved.told.outcomes[i], JSON.stringify(call)).toEqual(stayed.told.outcomes[i]);
      }
      expect(moved.told.rows).toEqual(stayed.told.rows);
      expect([moved.findings, stayed.findings]).toEqual([[], []]);
      expect([moved.faults, stayed.faults]).toEqual([[], []]);
    },
  );
  await fc.assert(property, { numRuns, endOnFailure: true });
});
