import { expect, test } from "vitest";
import { createRateLimit } from "../../runtime/limits.ts";

test("a rate limit allows its number of calls per key in each period", async () => {
  let now = 60_000 * 100;
  const { limit } = createRateLimit({ limit: 2, period: 60 }, () => now);
  const admits = async (key: string) => (await limit({ key })).success;

  expect([await admits("a"), await admits("a"), await admits("a"), await admits("b")]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  now += 59_999;
  expect(await admits("a")).toBe(false);
  now += 1;
  expect(await admits("a")).toBe(true);
});
