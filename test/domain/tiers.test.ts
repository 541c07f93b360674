import { describe, expect, it } from "vitest";
import { tierText } from "#domain/explain/tier-text.ts";
import { type AppliedStep, monthsOfPeriod, nextStep, periodOfDay, stepAt, type Tiers } from "#domain/tiers.ts";

const tiers: Tiers = {
  metric: "sales",
  period: "month",
  steps: [
    { threshold: 11, rateBps: 2_500 },
    { threshold: 51, rateBps: 3_000 },
  ],
};

describe("a partner's step", () => {
  it.each([
    [0, undefined, 10],
    [7, undefined, 3],
    [10, 11, 40],
    [49, 11, 1],
    [50, 51, undefined],
  ])(
    "after %i sales, the reached tier's threshold is %s, and the next tier needs %s more sales",
    (count, threshold, remaining) => {
      expect(stepAt(tiers, count)?.threshold).toBe(threshold);
      expect(nextStep(tiers, count)?.remaining).toBe(remaining);
    },
  );

  it("a partner's tier by revenue applies once the revenue reaches the tier's threshold", () => {
    const byRevenue: Tiers = { metric: "revenue", period: "year", steps: [{ threshold: 1_000, amountCents: 5 }] };
    expect([stepAt(byRevenue, 999), stepAt(byRevenue, 1_000)?.threshold]).toEqual([undefined, 1_000]);
    expect(nextStep(byRevenue, 400)).toEqual({ remaining: 600, metric: "revenue", rate: 5 });
  });
});

it.each([
  ["month", "2026-11-14", "2026-11", ["2026-11", "2026-11"]],
  ["quarter", "2026-11-14", "2026-Q4", ["2026-10", "2026-12"]],
  ["quarter", "2026-03-31", "2026-Q1", ["2026-01", "2026-03"]],
  ["year", "2026-01-01", "2026", ["2026-01", "2026-12"]],
] as const)("the %s that contains the day %s is %s", (period, day, name, months) => {
  expect(periodOfDay(period, day)).toBe(name);
  expect(monthsOfPeriod(name)).toEqual(months);
});

describe("the description of a step", () => {
  const at = Date.parse("2026-11-14T23:30:00Z");
  const step: AppliedStep = { metric: "sales", period: "2026-11", threshold: 11, rateBps: 2_500, count: 10, at };
  const written = { currency: "EUR", money: (amount: number) => `${amount} free months` };
  const said = (change: Partial<AppliedStep>, timezone = "UTC") =>
    tierText({ ...step, ...change }, { ...written, timezone });

  it("the description of a reached tier contains the rate, the number of sales, the period and the day", () => {
    expect(said({})).toBe("25%: 10 sales in November, reached on the 14th");
    expect(said({}, "Europe/Berlin")).toBe("25%: 10 sales in November, reached on the 15th");
    expect(said({ at: Date.parse("2026-12-02T12:00:00Z") })).toBe("25%: 10 sales in November, reached on 2 December");
  });

  it("the description of a reached tier can contain a quarter or a year, a revenue and an amount", () => {
    expect(said({ period: "2026-Q4" })).toBe("25%: 10 sales in the fourth quarter of 2026, reached on 14 November");
    const ofYear = { metric: "revenue", period: "2025", count: 100_000, currency: "EUR" } as const;
    const { rateBps: _, ...flat } = step;
    expect(tierText({ ...flat, ...ofYear, amountCents: 2 }, { ...written, timezone: "UTC" })).toBe(
      "2 free months: €1,000.00 of sales in 2025, reached on 14 November 2026",
    );
  });
});
