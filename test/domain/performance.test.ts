import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dayMs } from "#domain/calendar.ts";
import {
  averageOf,
  countDays,
  daysBefore,
  daysEnding,
  listDays,
  percentOf,
  spanAround,
  sumFigures,
  trendOf,
} from "#domain/performance.ts";

describe("the days of a period", () => {
  test.each([
    ["2026-03-01", 1, { from: "2026-03-01", to: "2026-03-01" }],
    ["2026-03-01", 7, { from: "2026-02-23", to: "2026-03-01" }],
    ["2024-03-01", 2, { from: "2024-02-29", to: "2024-03-01" }],
    ["2026-01-01", 90, { from: "2025-10-04", to: "2026-01-01" }],
  ])("the days of a period that ends on %s and has %i days are counted back from its last day", (day, count, days) => {
    expect(daysEnding(day, count)).toEqual(days);
    expect(countDays(days)).toBe(count);
  });

  test("the days of a period continue over the end of a month, and contain each day once", () => {
    expect(listDays({ from: "2024-02-27", to: "2024-03-02" })).toEqual([
      "2024-02-27",
      "2024-02-28",
      "2024-02-29",
      "2024-03-01",
      "2024-03-02",
    ]);
  });

  test("the previous period has as many days as the current one, and ends on the day before the current one begins", () => {
    expect(daysBefore({ from: "2026-03-01", to: "2026-03-31" })).toEqual({ from: "2026-01-29", to: "2026-02-28" });
    const some = fc.record({
      day: fc.date({ min: new Date(0), max: new Date("9999-12-30"), noInvalidDate: true }),
      count: fc.nat(1_100),
    });
    fc.assert(
      fc.property(some, ({ day, count }) => {
        const days = daysEnding(new Date(day).toISOString().slice(0, 10), count + 1);
        const before = daysBefore(days);
        expect(countDays(before)).toBe(count + 1);
        expect(listDays({ from: before.from, to: days.to })).toEqual([...listDays(before), ...listDays(days)]);
      }),
    );
  });

  test("the span of instants for a period contains the period's days in every time zone", () => {
    const { since, until } = spanAround({ from: "2026-03-01", to: "2026-03-01" });
    const start = Date.UTC(2026, 2, 1);
    for (const hoursAhead of [-12, 0, 14]) {
      expect(since).toBeLessThanOrEqual(start - hoursAhead * 3_600_000);
      expect(until).toBeGreaterThanOrEqual(start + dayMs - hoursAhead * 3_600_000);
    }
  });
});

describe("a trend", () => {
  test.each([
    [150n, 100n, 50, "up"],
    [50n, 100n, 50, "down"],
    [100n, 100n, 0, "stable"],
    [0n, 100n, 100, "down"],
    [1n, 3n, 66.7, "down"],
    [4n, 3n, 33.3, "up"],
    [10_004n, 10_000n, 0, "stable"],
    [10_005n, 10_000n, 0.1, "up"],
    [5n, 0n, 100, "up"],
    [0n, 0n, 0, "stable"],
    [-5n, 0n, 100, "down"],
    [5n, -5n, 100, "up"],
    [-5n, -5n, 0, "stable"],
    [-9n, -5n, 100, "down"],
    [-100n, 100n, 200, "down"],
    [3n * 10n ** 20n, 10n ** 20n, 200, "up"],
  ] as const)(
    "a trend to the value %s from the value %s is %s percent and %s",
    (now, before, trend, trendDirection) => {
      expect(trendOf(now, before)).toEqual({ trend, trendDirection });
    },
  );

  test("a trend is up exactly if the value has grown, and down if it has shrunk", () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.bigInt(-(10n ** 20n), 10n ** 20n), (now, before) => {
        const { trend, trendDirection } = trendOf(now, before);
        expect(trend).toBeGreaterThanOrEqual(0);
        expect(trend === 0).toBe(trendDirection === "stable");
        if (trendDirection !== "stable") expect(trendDirection).toBe(now > before ? "up" : "down");
      }),
    );
  });
});

test.each([
  [1n, 3n, 33.33],
  [2n, 3n, 66.67],
  [1n, 8n, 12.5],
  [5n, 4n, 125],
  [0n, 7n, 0],
  [0n, 0n, 0],
  [7n, 0n, 0],
])("%s of a total of %s is %s percent", (part, whole, percent) => {
  expect(percentOf(part, whole)).toBe(percent);
});

test.each([
  [10n, 4n, 3n],
  [9n, 4n, 2n],
  [0n, 4n, 0n],
  [4n, 0n, 0n],
  [9_007_199_254_740_993n * 3n, 3n, 9_007_199_254_740_993n],
])("the sum %s divided by the count %s is %s on average", (sum, count, average) => {
  expect(averageOf(sum, count)).toBe(average);
});

test("amounts are summed separately and exactly, and an empty sum is zero", () => {
  const none = sumFigures([]);
  expect(new Set(Object.values(none))).toEqual(new Set([0n]));
  const big = 2n ** 53n + 1n;
  const some = { ...none, clicks: 1n, revenueCents: big, commissionCents: -2n };
  expect(sumFigures([some, some])).toEqual({ ...none, clicks: 2n, revenueCents: 2n * big, commissionCents: -4n });
});
