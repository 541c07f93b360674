import { expect, test } from "vitest";
import { PartSlots } from "#http/download.ts";
import { type Turn, Turns } from "#http/turns.ts";

let count = 0;
const file = (actorId: string, programId: number): Turn => {
  count += 1;
  return { id: `file ${count}`, actorId, programId };
};

test("a caller can download one file at a time, and another file after the download has ended", () => {
  const turns = new Turns();
  const [first, second] = [file("ann", 1), file("ann", 2)];
  expect(turns.takes(first, 0)).toBe(true);
  expect(turns.takes(second, 0)).toBe(false);
  turns.end(first);
  expect(turns.takes(second, 0)).toBe(true);
});

test("a program's users can download two files at a time, which doesn't limit the downloads of other programs", () => {
  const turns = new Turns();
  const opens = (caller: string, programId: number) => turns.takes(file(caller, programId), 0);
  expect([opens("ann", 1), opens("bob", 1), opens("cy", 1), opens("cy", 2)]).toEqual([true, true, false, true]);
});

test("at most four downloads can create a part of their file at the same time", () => {
  const slots = new PartSlots();
  expect(Array.from({ length: 5 }, () => slots.takes())).toEqual([true, true, true, true, false]);
  slots.end();
  expect([slots.takes(), slots.takes()]).toEqual([true, false]);
});

test("a download that isn't read for 90 seconds ends, and its caller can download another file", () => {
  const turns = new Turns();
  const [slow, other] = [file("ann", 1), file("ann", 1)];
  turns.takes(slow, 0);
  expect(turns.goesOn(slow, 89_999)).toBe(true);
  expect(turns.takes(other, 179_998)).toBe(false);
  expect(turns.takes(other, 179_999)).toBe(true);
  expect(turns.goesOn(slow, 180_000)).toBe(false);
});
