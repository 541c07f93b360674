import { expect, it } from "vitest";
import { BoundedCache } from "#http/bounded-cache.ts";

it("a bounded cache keeps a limited number of values, and of the values with a long key only the last one", () => {
  const known = new BoundedCache<number>(2);
  const long = "x".repeat(513);
  expect(known.set("a", 1)).toBe(1);
  expect(known.set(long, 2)).toBe(2);
  expect([known.get("a"), known.get(long), known.get("b")]).toEqual([1, 2, undefined]);
  expect(known.set(`${long}y`, 3)).toBe(3);
  expect([known.get(long), known.get(`${long}y`)]).toEqual([undefined, 3]);
  known.set("b", 3);
  known.set("c", 4);
  expect([known.get("a"), known.get("b"), known.get("c")]).toEqual([undefined, undefined, 4]);
});
