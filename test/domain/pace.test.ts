import { describe, expect, it } from "vitest";
import { Pace } from "../../scripts/shards/pace.ts";

const sizes = { first: 400, atLeast: 100, atMost: 1_000 };

function timed({ isAwaited } = { isAwaited: true }) {
  let now = 0;
  const rests: number[] = [];
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      rests.push(ms);
      now += ms;
    },
  };
  const taking = (ms: number) => async (size: number) => {
    now += ms;
    return size;
  };
  return { pace: new Pace(clock, { isAwaited }), rests, taking };
}

describe("the pace of a move", () => {
  it("makes steps smaller after one that took long, and larger after a short one, within their limits", async () => {
    const { pace, taking } = timed();
    const steps = pace.steps(sizes);
    const taken: number[] = [];
    for (const ms of [30, 30, 30, 1, 1, 1, 1, 1, 20]) taken.push(await steps.run(taking(ms)));
    expect(taken).toEqual([400, 200, 100, 100, 200, 400, 800, 1_000, 1_000]);
    expect(steps.size).toBe(750);
  });

  it("learns nothing from a part of a step", async () => {
    const { pace, taking } = timed();
    const steps = pace.steps(sizes);
    await steps.runPart(() => taking(1_000)(1));
    expect(steps.size).toBe(400);
  });

  it("doesn't rest while it is short, and then as long as each step takes", async () => {
    const { pace, rests, taking } = timed();
    const steps = pace.steps(sizes);
    for (let step = 0; step < 30; step += 1) await steps.run(taking(100));
    expect(rests).toEqual([]);
    await steps.run(taking(70));
    await steps.runPart(() => taking(40)(1));
    expect(rests).toEqual([70, 40]);
  });

  it("rests from its first step if no call waits for it", async () => {
    const { pace, rests, taking } = timed({ isAwaited: false });
    await pace.steps(sizes).run(taking(40));
    expect(rests).toEqual([40]);
  });
});
