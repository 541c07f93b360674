import { expect, test } from "vitest";
import { type Download, Downloads } from "#http/downloads.ts";

let count = 0;
const file = (caller: string, programId: number): Download => {
  count += 1;
  return { id: `file ${count}`, caller, programId };
};

test("one caller gets one file at a time, and another once it has ended", () => {
  const downloads = new Downloads();
  const [first, second] = [file("ann", 1), file("ann", 2)];
  expect(downloads.opens(first, 0)).toBe(true);
  expect(downloads.opens(second, 0)).toBe(false);
  downloads.end(first);
  expect(downloads.opens(second, 0)).toBe(true);
});

test("one program gets two files at a time, and others theirs", () => {
  const downloads = new Downloads();
  const opens = (caller: string, programId: number) => downloads.opens(file(caller, programId), 0);
  expect([opens("ann", 1), opens("bob", 1), opens("cy", 1), opens("cy", 2)]).toEqual([true, true, false, true]);
});

test("four parts are made at a time", () => {
  const downloads = new Downloads();
  expect(Array.from({ length: 5 }, () => downloads.beginsPart())).toEqual([true, true, true, true, false]);
  downloads.endPart();
  expect([downloads.beginsPart(), downloads.beginsPart()]).toEqual([true, false]);
});

test("a file that nobody has read for 90 seconds has ended, and its caller gets another", () => {
  const downloads = new Downloads();
  const [slow, other] = [file("ann", 1), file("ann", 1)];
  downloads.opens(slow, 0);
  expect(downloads.goesOn(slow, 89_999)).toBe(true);
  expect(downloads.opens(other, 179_998)).toBe(false);
  expect(downloads.opens(other, 179_999)).toBe(true);
  expect(downloads.goesOn(slow, 180_000)).toBe(false);
});
