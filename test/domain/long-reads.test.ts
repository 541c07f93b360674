import { expect, test } from "vitest";
import { LongReads } from "#ledger/long-reads.ts";

const open = () => {
  const simulations = new LongReads();
  return (step: "begin" | "continue" | "end", operationId: string, { programId = 1, userId = "a", at = 0 } = {}) =>
    simulations.admits({ programId, userId, operationId, step }, at);
};

test("a program runs only one simulation at a time", () => {
  const simulate = open();
  expect([simulate("begin", "1"), simulate("begin", "2", { userId: "b" })]).toEqual([true, false]);
  expect([simulate("begin", "3", { programId: 2 }), simulate("continue", "1")]).toEqual([true, true]);
  simulate("end", "2", { userId: "b" });
  expect(simulate("begin", "2", { userId: "b" })).toBe(false);
  simulate("end", "1");
  expect(simulate("begin", "2", { userId: "b" })).toBe(true);
});

test("a user's new simulation ends the simulation that the same user is running", () => {
  const simulate = open();
  expect([simulate("begin", "1"), simulate("begin", "2")]).toEqual([true, true]);
  expect([simulate("continue", "1"), simulate("continue", "2")]).toEqual([false, true]);
});

test("a simulation that nobody reads for 15 seconds can be replaced, and continues if no other simulation begins", () => {
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
