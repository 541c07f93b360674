import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Alarm } from "#engine/alarm.ts";
import type { Duty } from "#engine/duty.ts";
import { Loop } from "#engine/loop.ts";
import { OutageLog } from "#engine/outage-log.ts";
import type { Task } from "#engine/task.ts";
import type { Write } from "#store/statement.ts";

const enough = 1_000;
const write = (sql: string): Write => ({ kind: "write", sql, args: [] });

/** Creates a call that writes one statement. */
function newCall(arrivedAt: number): Task {
  const { promise, resolve } = Promise.withResolvers<Awaited<Task["outcome"]>>();
  let isSettled = false;
  const settle = (outcome: Awaited<Task["outcome"]>) => {
    isSettled = true;
    resolve(outcome);
  };
  return {
    ...{ id: "call", arrivedAt, lineId: 1, lane: "money", isExclusive: false, isLineKnown: true },
    ...{ outcome: promise, roundTrips: 0, attempts: 0, missing: undefined },
    get isSettled() {
      return isSettled;
    },
    ...{ reject: () => false, unread: () => [], gather: () => ({}), locks: () => ({ exclusive: [] }) },
    decide: () => ({ kind: "commit", answer: "recorded", writes: [write("call")] }),
    ...{ retryWith: () => {}, readAlso: () => {}, noteRows: () => {}, defer: () => {}, keep: () => false },
    answer: (answer) => settle({ ok: true, answer }),
    refuse: (refusal) => settle({ ok: false, refusal }),
    fail: () => settle({ ok: false, refusal: { code: "internal" } }),
  };
}

/** Opens a loop whose database accepts every write. */
function openLoop(...duties: readonly Duty[]) {
  let now = 1_000_000;
  const reported: string[] = [];
  const written: string[] = [];
  const rings: number[] = [];
  const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };
  const report = (event: string, error: unknown, id?: string) => void reported.push(`${event} ${id}: ${error}`);
  const loop = new Loop({
    ...{ clock, report, duties, abort: () => {} },
    outages: new OutageLog({ onBegin: (error) => report("lost", error), onEnd: () => report("recovered", undefined) }),
    claim: async () => {},
    alarm: new Alarm({ setAlarm: async (at) => void rings.push(Number(at)) }, clock, report),
    isolated: () => newCall(now),
    writer: {
      ...{ isClaimed: true, sentSeq: 0, read: async () => [[]] },
      write: async (statements) => {
        await setImmediate();
        written.push(...statements.map(({ sql }) => sql));
        return statements.map(() => []);
      },
    },
  });
  const settle = async () => {
    for (let i = 0; i < enough * 3; i += 1) await setImmediate();
  };
  const call = async () => {
    const task = newCall(now);
    loop.submit(task);
    return await task.outcome;
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { loop, call, settle, pass, reported, written, rings, clock };
}

const idle = { writes: [], onCommitted: () => {}, onRefused: () => {} };

/**
 * Creates a maintenance task that stays due `enough` times. So a loop that never stops fails the test instead of
 * hanging.
 */
function stuck(take: Duty["take"]) {
  let looks = 0;
  const duty: Duty = {
    name: "stuck",
    get isDue() {
      looks += 1;
      return looks < enough;
    },
    ...(take && { take }),
  };
  return { duty, looks: () => looks };
}

function fails(): never {
  throw new Error("a fault");
}

describe.each<[string, NonNullable<Duty["take"]>]>([
  ["writes nothing", () => undefined],
  ["writes the same again", () => ({ ...idle, writes: [write("same")], mark: "1" })],
  ["writes without a description", () => ({ ...idle, writes: [write("same")] })],
  ["fails to describe its write", fails],
])("a maintenance task that stays due and %s", (_, take) => {
  it("a maintenance task that is still due after it ran is paused and logged, and delays no call", async () => {
    const { duty, looks } = stuck(take);
    const { loop, call, settle, reported, written, rings, clock } = openLoop(duty);
    loop.runIfDue();
    await settle();
    expect(looks()).toBeLessThan(100);
    expect(written.length).toBeLessThan(10);
    expect(reported).toEqual([expect.stringContaining("ledger.duty_failed stuck: ")]);
    expect(rings).toEqual([clock.now() + 5_000]);
    expect(await call()).toEqual({ ok: true, answer: "recorded" });
  });

  it("a maintenance task that is still due after it ran is retried at growing intervals", async () => {
    const { duty } = stuck(take);
    const { loop, settle, pass, reported, clock } = openLoop(duty);
    const rested: number[] = [];
    for (let i = 0; i < 9; i += 1) {
      const next = (await loop.maintain()) ?? 0;
      await settle();
      const until = (await loop.maintain()) ?? next;
      rested.push(until - clock.now());
      pass(until - clock.now());
    }
    expect(rested).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000]);
    expect(reported).toHaveLength(9);
  });
});

it("a maintenance task with much work finishes it in one run", async () => {
  let left = 100;
  const { loop, settle, written, reported } = openLoop({
    name: "busy",
    get isDue() {
      return left > 0;
    },
    take: () => ({
      ...{ ...idle, writes: [write("part")], mark: String(left) },
      onCommitted: () => {
        left -= 1;
      },
    }),
  });
  loop.runIfDue();
  await settle();
  expect([left, written.length, reported]).toEqual([0, 100, []]);
});

it.each([
  ["begins", { begin: fails }],
  ["looks", { look: fails }],
  ["loads its state", { look: () => ({ read: { sql: "", args: [] }, found: fails }) }],
  [
    "reports whether it is due",
    {
      get isDue(): boolean {
        return fails();
      },
    },
  ],
  [
    "reports when it is due",
    {
      get nextAt(): number {
        return fails();
      },
    },
  ],
  ["runs", { run: async () => fails() }],
  ["handles its own completion", { isDue: true, take: () => ({ ...idle, onCommitted: fails }) }],
] as const)("a maintenance task that fails when it %s delays neither other tasks nor calls", async (_, failing) => {
  let runs = 0;
  let isDue = true;
  const other: Duty = {
    ...{ name: "other", isDue: true },
    get isDue() {
      return isDue;
    },
    take: () => {
      isDue = false;
      return { ...idle, writes: [write("other")] };
    },
    run: async () => {
      runs += 1;
      return undefined;
    },
  };
  const faulty: Duty = Object.defineProperties({ name: "faulty" }, Object.getOwnPropertyDescriptors(failing));
  const { loop, call, reported, written } = openLoop(faulty, other);
  await loop.maintain();
  expect(await call()).toEqual({ ok: true, answer: "recorded" });
  expect(written).toContain("other");
  expect(runs).toBe(1);
  expect(reported).toEqual(["ledger.duty_failed faulty: Error: a fault"]);
});
