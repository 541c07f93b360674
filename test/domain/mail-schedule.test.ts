import { expect, test } from "vitest";
import { nextAttemptAt } from "#deliver/schedule.ts";

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const pauses = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];

/** Fails each attempt at once. Returns the pauses between the attempts. */
function failing(random: number, retryAfterMs?: number): number[] {
  const waited = [];
  let now = 1_000_000;
  for (let attempts = 1; ; attempts += 1) {
    const next = nextAttemptAt({ attempts, at: now, retryAfterMs }, random);
    if (next === undefined) return waited;
    waited.push(next - now);
    now = next;
  }
}

test("an email that the receiving server never accepts is sent ten times within four days, and then fails", () => {
  expect(failing(0.5)).toEqual(pauses);
});

test.each([
  [0, 0.8],
  [1, 1.2],
])("each pause between attempts to send an email varies by up to a fifth: random value %d", (random, factor) => {
  expect(failing(random)).toEqual(pauses.map((pause) => Math.round(pause * factor)));
});

test("the receiving server can extend the pause between attempts up to a day, and can't shorten it", () => {
  expect(failing(0.5, hour)).toEqual(pauses.map((pause) => Math.max(pause, hour)));
  expect(failing(0.5, 1_000 * hour)).toEqual(pauses.map(() => 24 * hour));
});
