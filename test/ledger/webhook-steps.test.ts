import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Steps, type StepsParts } from "#deliver/steps.ts";

const start = 1_000_000;

interface Hook {
  readonly id: number;
  readonly cursor: number;
  readonly newestSeq: number;
  readonly replays: readonly (readonly [number, number])[];
  readonly openRetries: number;
  readonly dueAt: number | null;
  readonly provedAt: number | null;
}

/** Opens a step runner on these rows. Each step moves a row's cursor by one. */
function openSteps(rows: Map<number, Pick<Hook, "cursor" | "newestSeq">>, parts: Partial<StepsParts<Hook>> = {}) {
  const made: [id: number, cursor: number, lanes: number][] = [];
  const faults: number[] = [];
  const read = async () =>
    [...rows].map(([id, row]): Hook => ({ id, replays: [], openRetries: 0, dueAt: null, provedAt: 1, ...row }));
  const move = ({ id, cursor, newestSeq }: Hook) => void rows.set(id, { cursor: cursor + 1, newestSeq });
  const steps = new Steps<Hook>({
    clock: { now: () => start },
    read,
    step: async (hook) => {
      move(hook);
      return [];
    },
    onFault: ({ id }) => void faults.push(id),
    ...parts,
  });
  return { steps, made, faults, read, move };
}

test("a sending step that read a webhook's position before the previous step finished doesn't send the same events again", async () => {
  const rows = new Map([[1, { cursor: 0, newestSeq: 1 }]]);
  const settled = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  let answer: Promise<void> = Promise.resolve();
  const { steps, made, read, move } = openSteps(rows, {
    read: async () => {
      const found = await read();
      await answer;
      return found;
    },
    step: async (hook, lanes) => {
      made.push([hook.id, hook.cursor, lanes]);
      await settled.promise;
      move(hook);
      return [];
    },
  });
  const running = steps.run(start + 1);
  await setImmediate();
  answer = answered.promise;
  steps.look();
  await setImmediate();
  settled.resolve();
  await setImmediate();
  answered.resolve();
  await running;
  expect(made).toEqual([[1, 0, 2]]);
});

test("a webhook whose sending step fails delays no other webhook, and is retried later", async () => {
  const rows = new Map([
    [1, { cursor: 0, newestSeq: 1 }],
    [2, { cursor: 0, newestSeq: 5 }],
  ]);
  const { steps, faults, move } = openSteps(rows, {
    step: async (hook) => {
      if (hook.id === 1) throw new Error("no key opens its secret");
      move(hook);
      return [];
    },
  });
  expect(await steps.run(start + 1)).toBe(start + 30_000);
  expect([rows.get(2)?.cursor, faults]).toEqual([5, [1]]);
});

test("a webhook whose sending step failed doesn't wait longer for its retry if the clock is set back", async () => {
  const rows = new Map([[1, { cursor: 0, newestSeq: 1 }]]);
  let now = start;
  let isFaulty = true;
  const { steps, move } = openSteps(rows, {
    clock: { now: () => now },
    step: async (hook) => {
      if (isFaulty) throw new Error("the Ledger settles nothing");
      move(hook);
      return [];
    },
  });
  expect(await steps.run(start + 1)).toBe(start + 30_000);
  isFaulty = false;
  now = start - 60_000;
  expect(await steps.run(now + 1)).toBeUndefined();
  expect(rows.get(1)?.cursor).toBe(1);
});

test("a slow delivery uses one of a webhook's two parallel lanes, and the sender's run doesn't end before this delivery", async () => {
  const rows = new Map([[1, { cursor: 0, newestSeq: 3 }]]);
  const hanging = Promise.withResolvers<void>();
  const { steps, made, move } = openSteps(rows, {
    step: async (hook, lanes) => {
      made.push([hook.id, hook.cursor, lanes]);
      move(hook);
      return hook.cursor === 0 ? [hanging.promise] : [];
    },
  });
  let isOver = false;
  const running = steps.run(start + 1).then(() => {
    isOver = true;
  });
  for (let i = 0; i < 10; i += 1) await setImmediate();
  expect([made, isOver]).toEqual([
    [
      [1, 0, 2],
      [1, 1, 1],
      [1, 2, 1],
    ],
    false,
  ]);
  hanging.resolve();
  await running;
});
