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
  expect(downloads.admits(first, 0)).toBe(true);
  expect(downloads.admits(second, 0)).toBe(false);
  downloads.end(first);
  expect(downloads.admits(second, 0)).toBe(true);
});

test("one program gets two files at a time, and the service makes four", () => {
  const downloads = new Downloads();
  const admitted = (caller: string, programId: number) => downloads.admits(file(caller, programId), 0);
  expect([admitted("ann", 1), admitted("bob", 1), admitted("cy", 1)]).toEqual([true, true, false]);
  expect([admitted("cy", 2), admitted("di", 3), admitted("ed", 4)]).toEqual([true, true, false]);
});

test("a file goes on, and one whose reader takes nothing for 15 seconds doesn't count until it is read on", () => {
  const downloads = new Downloads();
  const [slow, other] = [file("ann", 1), file("ann", 1)];
  downloads.admits(slow, 0);
  expect(downloads.admits(slow, 14_999)).toBe(true);
  expect(downloads.admits(other, 29_998)).toBe(false);
  expect(downloads.admits(other, 29_999)).toBe(true);
  expect(downloads.admits(slow, 30_000)).toBe(false);
  downloads.end(other);
  expect(downloads.admits(slow, 30_000)).toBe(true);
});
