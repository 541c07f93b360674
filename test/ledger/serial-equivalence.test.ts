import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { probeTimeoutMs } from "#engine/outage.ts";
import type { LedgerTask } from "#ledger/task.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { longestMs } from "../support/breadth.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { type Passage, unsteadyDatabase } from "../support/unsteady-database.ts";
import { type Burst, type Call, history, type Scope, scope } from "./serial-history.ts";
import { SerialProgram } from "./serial-program.ts";

const numRuns = Number(process.env.SERIAL_RUNS ?? 2);

let database: TestDatabase;
beforeAll(async () => {
  // Uses sqld, whose responses take long enough for other calls to arrive.
  database = await startDatabase(undefined, "sqld");
});
afterAll(() => database.dispose());

const now = daysAgo(0);
/** Shortens the pauses between retries, but keeps timeouts for busy machines. */
const sleep = (ms: number) => delay(ms === probeTimeoutMs ? ms : ms / 25);
const clock = { now: () => now, sleep, random: () => 0.5 };

const passage: fc.Arbitrary<Passage> = fc.record({
  beforeMs: fc.constantFrom(0, 0, 1, 4, 10),
  afterMs: fc.constantFrom(0, 0, 1, 4),
  fault: fc.oneof({ weight: 8, arbitrary: fc.constant("none") }, fc.constantFrom("never arrives", "answer lost")),
});
const passages = fc.array(passage, { minLength: 20, maxLength: 40 });

const openProgram = (ledger: ReturnType<typeof ledgerOn>, scope: Scope) =>
  SerialProgram.open(database.url, ledger, scope);

/** `isKnown`: the caller already knew the id of the commission that the call contains. */
interface Decided {
  readonly call: Call;
  readonly index: number;
  readonly isKnown: boolean;
}

/**
 * Sends a history's bursts to a Ledger with an unstable database. Returns the calls in the order of their decisions.
 */
async function inBursts(bursts: readonly Burst[], passages: readonly Passage[], scope: Scope) {
  const real = databaseAt(database.url);
  const ledger = ledgerOn(unsteadyDatabase(real, passages), clock);
  const program = await openProgram(ledger, scope);
  const order = new Set<Decided>();
  const tasks: LedgerTask[] = [];
  for (const { calls, isAwaited } of bursts) {
    for (const { call, pauseMs } of calls) {
      if (pauseMs > 0) await delay(pauseMs);
      const decided = { call, index: tasks.length, isKnown: program.knows(call) };
      const task = program.taskOf(call, decided.index, decided.isKnown);
      onDecided(task, () => {
        // A call that was decided on another call's pending result may be decided again later. Only its last decision
        // counts.
        order.delete(decided);
        order.add(decided);
      });
      tasks.push(ledger.submit(task));
    }
    if (isAwaited) await Promise.all(tasks.map(({ outcome }) => outcome));
  }
  const outcomes = await Promise.all(tasks.map(({ outcome }) => outcome));
  return { program, ledger, order: [...order], outcomes };
}

/** Calls `note` at each decision, except one that asks for a retry. */
function onDecided(task: LedgerTask, note: () => void): void {
  const decide = task.decide.bind(task);
  task.decide = (found) => {
    const decision = decide(found);
    if (decision.kind !== "retry") note();
    return decision;
  };
}

/** Sends the same calls to an identical program, each after the response to the previous one. */
async function oneByOne(order: readonly Decided[], scope: Scope) {
  const ledger = ledgerOn(databaseAt(database.url), clock);
  const program = await openProgram(ledger, scope);
  const outcomes: Awaited<LedgerTask["outcome"]>[] = [];
  for (const { call, index, isKnown } of order) {
    outcomes[index] = await ledger.submit(program.taskOf(call, index, isKnown)).outcome;
  }
  return { program, ledger, outcomes };
}

test("calls decided together over a failing database have the same results as calls decided one by one", {
  // A run takes about two seconds.
  timeout: Math.max(longestMs, numRuns * 20_000),
}, async () => {
  const equivalence = fc.asyncProperty(history, passages, scope, async (bursts, passages, scope) => {
    const calls = bursts.flatMap((burst) => burst.calls.map(({ call }) => call));
    const together = await inBursts(bursts, passages, scope);
    expect(together.order.map(({ index }) => index).sort((a, b) => a - b)).toEqual(calls.map((_, i) => i));
    const alone = await oneByOne(together.order, scope);
    expect([...together.ledger.faults, ...alone.ledger.faults]).toEqual([]);

    const told = await together.program.told(calls, together.outcomes);
    const expected = await alone.program.told(calls, alone.outcomes);
    for (const [i, call] of calls.entries()) {
      expect(told.outcomes[i], JSON.stringify(call)).toEqual(expected.outcomes[i]);
    }
    expect(told.rows).toEqual(expected.rows);
    for (const { program } of [together, alone]) expect(await program.world.audit()).toEqual([]);
  });
  // Timing differs between runs, so a smaller history may pass. Shrinking is therefore off.
  await fc.assert(equivalence, { numRuns, endOnFailure: true });
});
