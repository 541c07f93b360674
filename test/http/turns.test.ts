import { expect, test } from "vitest";
import { PartSlots } from "#http/download.ts";
import { type Turn, Turns } from "#http/turns.ts";

let count = 0;
const file = (actorId: string, programId: number): Turn => {
  count += 1;
  return { id: `file ${count}`, actorId, programId };
};

test("one caller gets one file at a time, and another once it has ended", () => {
  const turns = new Turns();
  const [first, second] = [file("ann", 1), file("ann", 2)];
  expect(turns.takes(first, 0)).toBe(true);
  expect(turns.takes(second, 0)).toBe(false);
  turns.end(first);
  expect(turns.takes(second, 0)).toBe(true);
});

test("one program gets two files at a time, and others theirs", () => {
  const turns = new Turns();
  const opens = (caller: string, programId: number) => turns.takes(file(caller, programId), 0);
  expect([opens("ann", 1), opens("bob", 1), opens("cy", 1), opens("cy", 2)]).toEqual([true, true, false, true]);
});

test("four parts are made at a time", () => {
  const slots = new PartSlots();
  expect(Array.from({ length: 5 }, () => slots.takes())).toEqual([true, true, true, true, false]);
  slots.end();
  expect([slots.takes(), slots.takes()]).toEqual([true, false]);
});

test("a file without a reader for 90 seconds has ended, and its caller gets another", () => {
  const turns = new Turns();
  const [slow, other] = [file("ann", 1), file("ann", 1)];
  turns.takes(slow, 0);
  expect(turns.goesOn(slow, 89_999)).toBe(true);
  expect(turns.takes(other, 179_998)).toBe(false);
  expect(turns.takes(other, 179_999)).toBe(true);
  expect(turns.goesOn(slow, 180_000)).toBe(false);
});
