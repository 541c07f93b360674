import { expect, test } from "vitest";
import { UnsignedEvents } from "#ledger/unsigned-events.ts";

const at = (day: number, hour = 12): number => Date.UTC(2026, 0, day, hour);
const book = (programId: number, isTest = false) => ({ programId, isTest });

test("each book (live or test) of a program has its own daily limit of events without an API key", () => {
  const events = new UnsignedEvents(2);
  const times = (count: number, of = book(1), when = at(1)) =>
    Array.from({ length: count }, () => events.count(of, when));
  expect(times(3)).toEqual([true, true, false]);
  expect([times(1, book(1, true)), times(1, book(2))]).toEqual([[true], [true]]);
  expect(times(3, book(1), at(2, 0))).toEqual([true, true, false]);
});

test("an event of yesterday without an API key counts toward today's limit, and doesn't begin a new day", () => {
  const events = new UnsignedEvents(1);
  expect([events.count(book(1), at(2, 0)), events.count(book(1), at(1, 23)), events.count(book(1), at(2, 0))]).toEqual([
    true,
    false,
    false,
  ]);
});

test("a limited number of books have their own limit of events without an API key, and all other books share one limit", () => {
  const events = new UnsignedEvents(2, 2);
  const counted = [1, 2, 3, 4, 5, 1, 2, 1].map((programId) => events.count(book(programId), at(1)));
  expect(counted).toEqual([true, true, true, true, false, true, true, false]);
});
