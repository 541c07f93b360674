import { expect, it } from "vitest";
import { clockFault, type OtherTimes } from "#domain/clock-fault.ts";

const now = Date.UTC(2026, 4, 1);
const minute = 60_000;
const day = 24 * 60 * minute;

it.each<[string, OtherTimes]>([
  ["there is nothing to compare it with", {}],
  ["nothing was written yet", { newestCommitAt: null, newestPostingAt: 0, databaseAt: now }],
  ["the service was idle or restored", { newestCommitAt: now - 1_000 * day, newestPostingAt: now - 2_000 * day }],
  ["it was set back a little", { newestCommitAt: now + 5 * minute, newestPostingAt: now + 5 * minute }],
  ["the database's clock differs by a day", { databaseAt: now - day }],
  ["the database's clock is ahead, because the service's clock decides", { databaseAt: now + 10 * day }],
])("a clock is accepted if %s", (_, others) => {
  expect(clockFault(now, others)).toBeUndefined();
});

it.each<[string, OtherTimes, string]>([
  ["its newest commit", { newestCommitAt: now + 5 * minute + 1 }, "newest commit is of 2026-05-01T00:05:00.001Z"],
  ["its newest posting", { newestCommitAt: null, newestPostingAt: now + day }, "newest commit is of 2026-05-02"],
  ["the database's day", { databaseAt: now - day - 1 }, "the database's 2026-04-29T23:59:59.999Z"],
])("a clock that contradicts %s is rejected, and the reason contains both times", (_, others, reason) => {
  expect(clockFault(now, others)).toContain("the clock shows 2026-05-01T00:00:00.000Z");
  expect(clockFault(now, others)).toContain(reason);
});
