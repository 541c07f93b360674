import { expect, test } from "vitest";
import { LongReads } from "#ledger/long-reads.ts";

const open = () => {
  const simulations = new LongReads();
  return (step: "begin" | "continue" | "end", operationId: string, { programId = 1, userId = "a", at = 0 } = {}) =>
    simulations.admits({ programId, userId, operationId, step }, at);
};

test("a program runs one simulation until it ends", () => {
  const simulate = open();
  expect([simulate("begin", "1"), simulate("begin", "2", { userId: "b" })]).toEqual([true, false]);
  expect([simulate("begin", "3", { programId: 2 }), simulate("continue", "1")]).toEqual([true, true]);
  simulate("end", "2", { userId: "b" });
  expect(simulate("begin", "2", { userId: "b" })).toBe(false);
  simulate("end", "1");
  expect(simulate("begin", "2", { userId: "b" })).toBe(true);
});

test("a user's newer simulation ends their older one", () => {
  const simulate = open();
  expect([simulate("begin", "1"), simulate("begin", "2")]).toEqual([true, true]);
  expect([simulate("continue", "1"), simulate("continue", "2")]).toEqual([false, true]);
});

test("an abandoned simulation can be replaced after 15 seconds, and continues if no other one begins", () => {
  const simulate = open();
  simulate("begin", "1");
  simulate("continue", "1", { at: 10_000 });
  expect(simulate("begin", "2", { userId: "b", at: 24_999 })).toBe(false);
  expect(simulate("continue", "1", { at: 25_000 })).toBe(true);
  expect(simulate("begin", "2", { userId: "b", at: 40_000 })).toBe(true);
  expect(simulate("continue", "1", { at: 40_001 })).toBe(false);
});

test("four programs can simulate at the same time", () => {
  const simulate = open();
  const begin = (programId: number) => simulate("begin", `of ${programId}`, { programId });
  expect([1, 2, 3, 4, 5].map(begin)).toEqual([true, true, true, true, false]);
  simulate("end", "of 3", { programId: 3 });
  expect([begin(5), begin(6)]).toEqual([true, false]);
});

test.each([50, 20_000])("four programs that read again at once, for %d ms each, don't keep a fifth out", (forMs) => {
  const simulate = open();
  const ends = new Map<number, number>();
  const read = (programId: number, at: number) => {
    const end = ends.get(programId);
    if (end !== undefined && at < end) return simulate("continue", `until ${end}`, { programId, at });
    if (end !== undefined) simulate("end", `until ${end}`, { programId, at });
    ends.delete(programId);
    const isAdmitted = simulate("begin", `until ${at + forMs}`, { programId, at });
    return isAdmitted && ends.set(programId, at + forMs);
  };
  const triesEveryMs = 5_000;
  const admitted: number[] = [];
  for (let at = 0; at < 60_000; at += 50) {
    for (const programId of [1, 2, 3, 4]) read(programId, at);
    if (at % triesEveryMs === 0 && simulate("begin", "fifth", { programId: 5, at })) admitted.push(at);
  }
  expect(admitted).not.toEqual([]);
});

test("a user's newer reads don't keep a place for longer than 15 seconds while others wait", () => {
  const simulate = open();
  const others = [2, 3, 4];
  for (const programId of [1, ...others]) simulate("begin", "first", { programId });
  for (const programId of others) simulate("continue", "first", { programId, at: 14_000 });
  expect(simulate("begin", "second", { at: 14_000 })).toBe(true);
  expect(simulate("begin", "fifth", { programId: 5, at: 14_500 })).toBe(false);
  expect(simulate("begin", "third", { at: 14_999 })).toBe(true);
  expect(simulate("begin", "fourth", { at: 15_000 })).toBe(false);
  expect(simulate("continue", "third", { at: 15_000 })).toBe(true);
});

test("a program reads again at once if no other one waits", () => {
  const simulate = open();
  simulate("begin", "1");
  simulate("end", "1", { at: 10 });
  expect(simulate("begin", "2", { at: 11 })).toBe(true);
});
