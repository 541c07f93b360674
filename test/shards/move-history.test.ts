import { createClient } from "@libsql/client/http";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LedgerRpc, SpilledClick } from "#ledger/rpc.ts";
import type { LedgerTask } from "#ledger/task.ts";
import { type AnyCall, loadOperation } from "#operations/table.ts";
import { openDatabase } from "#store/database.ts";
import { readMovedPrograms } from "#store/places.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import type { World, WorldSettings } from "../../harness/world.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { addShard } from "../../scripts/database/shards.ts";
import { memoryStorage } from "../../scripts/sample/node-ledger.ts";
import {
  abandonMove,
  beginMove,
  type Move,
  type MovePlaces,
  moveProgram,
  StepRefused,
} from "../../scripts/shards/mover.ts";
import { type Call, history, type Scope, scope } from "../ledger/serial-history.ts";
import { SerialProgram } from "../ledger/serial-program.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

// Random histories whose program moves between three shards, by movers that die, equal the same histories on one.

const numRuns = Number(process.env.MOVE_HISTORIES ?? 3);
const shards = [0, 1, 2] as const;

const databases: TestDatabase[] = [];
const proxies: DatabaseProxy[] = [];
beforeAll(async () => {
  databases.push(...(await Promise.all(shards.map(() => startDatabase()))));
  const [home, ...others] = databases;
  if (home === undefined) throw new Error("home has not been started");
  for (const [i, database] of others.entries()) await addShard(home, database, { shard: i + 1, location: null });
  proxies.push(...(await Promise.all(databases.map(({ url }) => startDatabaseProxy(url)))));
});
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await Promise.all(databases.map((database) => database.dispose()));
});

const of = <T>(list: readonly T[], shard: number): T => {
  const found = list[shard];
  if (found === undefined) throw new RangeError(`no shard has the number ${shard}`);
  return found;
};

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };

/** A Ledger on each database, which know one another. */
function startLedgers() {
  const connect = (shard: number) => openDatabase({ url: of(databases, shard).url, authToken: undefined });
  const ledgers = shards.map((own) =>
    ledgerOn(connect(own), clock, memoryStorage(), true, {
      own,
      ledgerOf: (shard) => rpcOf(shard) as LedgerRpc,
      movedPrograms: () => readMovedPrograms(connect(0)),
    }),
  );
  const run = async (shard: number, call: AnyCall) => {
    const ledger = of(ledgers, shard);
    return ledger.submit(ledger.taskOf(await loadOperation(call), call, now)).outcome;
  };
  const rpcOf = (shard: number) => ({
    run: (call: AnyCall) => run(shard, call),
    takeClicks: async (clicks: readonly SpilledClick[]) => {
      const { spill, loop } = of(ledgers, shard);
      for (const click of clicks) spill.keep(click);
      loop.runIfDue();
      return { ok: true };
    },
  });
  return { ledgers, run };
}
type Ledgers = ReturnType<typeof startLedgers>;

let steps = 0;

/** `through`: the databases as the mover reaches them. */
const placesOf = ({ ledgers, run }: Ledgers, through: readonly { readonly url: string }[]): MovePlaces => ({
  databaseOf: (shard) => of(through, shard),
  async step(step, { programId, moveId, from, to }: Move, frozenForMs) {
    steps += 1;
    const common = { operationId: `step ${steps}`, at: now, programId, moveId };
    const outcome = await run(
      from,
      step === "leave"
        ? { ...common, kind: "leave-program", to }
        : step === "abandon"
          ? { ...common, kind: "abandon-move" }
          : { ...common, kind: "freeze-program", leaveBy: now + frozenForMs, isRenewal: step === "renew" },
    );
    const ledger = of(ledgers, from);
    if (outcome.ok && (step === "leave" || step === "abandon")) await ledger.alarm.ring(ledger.loop);
    if (!outcome.ok && outcome.refusal.code === "move_refused") throw new StepRefused(step, outcome.refusal.reason);
    if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.refusal)}`);
  },
});

interface MoveTry {
  /** Calls that come first. */
  readonly after: number;
  readonly to: number;
  /** Requests after which the mover dies, to each database. */
  readonly diesAfter: number | undefined;
  readonly isAbandoned: boolean;
}
const moveTry: fc.Arbitrary<MoveTry> = fc.record({
  after: fc.integer({ min: 0, max: 8 }),
  to: fc.constantFrom(...shards),
  diesAfter: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
  isAbandoned: fc.boolean(),
});

/** Where the program's row says that it is decided: nowhere while it is handed over. */
async function placesHere({ programId }: World): Promise<number[]> {
  const found = await Promise.all(
    databases.map(async ({ url }, shard) => {
      const client = createClient({ url });
      const sql = "select 1 from programs where id = ? and place = 'here'";
      const { rows } = await client.execute({ sql, args: [programId] });
      client.close();
      return rows.map(() => shard);
    }),
  );
  return found.flat();
}

async function tryMove(ledgers: Ledgers, world: World, { to, diesAfter, isAbandoned }: MoveTry): Promise<void> {
  const [from] = await placesHere(world);
  if (from === to) return;
  const watch = watchOwners(world);
  try {
    await moveUnderWatch(ledgers, world, { to, diesAfter, isAbandoned });
  } finally {
    expect(await watch.stop()).toBeLessThanOrEqual(1);
  }
}

/** Looks again and again how many shards decide for the program. */
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

async function moveUnderWatch(
  ledgers: Ledgers,
  world: World,
  { to, diesAfter, isAbandoned }: Omit<MoveTry, "after">,
): Promise<void> {
  const direct = placesOf(ledgers, databases);
  const move = await beginMove(direct, world.programId, to);
  if (diesAfter !== undefined) {
    const lift = proxies.map((proxy) => proxy.inject({ kind: "refuse" }, { after: diesAfter }));
    await moveProgram(placesOf(ledgers, proxies), move).catch(() => {});
    for (const each of lift) each();
    expect((await placesHere(world)).length).toBeLessThanOrEqual(1);
    if (isAbandoned) {
      const stays = await abandonMove(direct, move).then(
        () => true,
        (error) => (error instanceof StepRefused ? false : Promise.reject(error)),
      );
      if (stays) return;
    }
  }
  await moveProgram(direct, move);
  expect(await placesHere(world)).toEqual([to]);
}

const open = (ledger: ReturnType<typeof ledgerOn>, scope: Scope) => {
  const longAgo = { effectiveFrom: daysAgo(500), createdAt: daysAgo(500) };
  const policy = { scope, durationMonths: scope === "recurring" ? 1 : null, ...longAgo };
  const settings: WorldSettings = { partners: [{ code: "alice" }, { code: "bob" }], policies: [policy] };
  return SerialProgram.open(of(databases, 0).url, ledger, settings);
};

/** Sends the calls one by one, each to the Ledger that has the program then, and moves it in between. */
async function send(calls: readonly Call[], moves: readonly MoveTry[], scope: Scope) {
  const started = startLedgers();
  const program = await open(of(started.ledgers, 0), scope);
  const outcomes: Awaited<LedgerTask["outcome"]>[] = [];
  const left = [...moves];
  let due = left[0]?.after ?? Number.POSITIVE_INFINITY;
  for (const [i, call] of calls.entries()) {
    for (let next = left[0]; next !== undefined && i >= due; next = left[0]) {
      await tryMove(started, program.world, next);
      left.shift();
      due = i + (left[0]?.after ?? 0) + 1;
      const [shard = 0] = await placesHere(program.world);
      program.continueAt(of(started.ledgers, shard));
    }
    const [shard = 0] = await placesHere(program.world);
    outcomes[i] = await of(started.ledgers, shard).submit(program.taskOf(call, i, program.knows(call))).outcome;
  }
  const [shard = 0] = await placesHere(program.world);
  const client = createClient({ url: of(databases, shard).url });
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
  client.close();
  return { told, findings, faults: started.ledgers.flatMap(({ faults }) => faults) };
}

test("histories of a program that moves equal those of one that stays", {
  timeout: Math.max(120_000, numRuns * 40_000),
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
