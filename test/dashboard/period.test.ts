import { expect, test } from "vitest";
import { listDays } from "#domain/performance.ts";
import { daysToCompare, formatDays, movedRange, rangeOf, stepsOf } from "../../dashboard/src/period.ts";

const today = "2026-03-31";

test.each([
  [{}, "30d", { from: "2026-03-02", to: today }, { from: "2026-01-31", to: "2026-03-01" }],
  [{ period: "today" }, "today", { from: today, to: today }, undefined],
  [{ period: "7d" }, "7d", { from: "2026-03-25", to: today }, { from: "2026-03-18", to: "2026-03-24" }],
  [{ period: "90d" }, "90d", { from: "2026-01-01", to: today }, { from: "2025-10-03", to: "2025-12-31" }],
  [{ period: "month" }, "month", { from: "2026-03-01", to: today }, { from: "2026-02-01", to: "2026-02-28" }],
  [
    { period: "last-month" },
    "last-month",
    { from: "2026-02-01", to: "2026-02-28" },
    { from: "2026-01-01", to: "2026-01-31" },
  ],
  [{ period: "ytd" }, "ytd", { from: "2026-01-01", to: today }, { from: "2025-01-01", to: "2025-03-31" }],
  [{ period: "all" }, "all", undefined, undefined],
  [{ period: "custom" }, "30d", { from: "2026-03-02", to: today }, { from: "2026-01-31", to: "2026-03-01" }],
  [{ dateFrom: "2026-13-45", dateTo: "2026-13-46" }, "30d", { from: "2026-03-02", to: today }, expect.anything()],
  [{ dateFrom: "2026-02-30", dateTo: "2026-03-01" }, "30d", { from: "2026-03-02", to: today }, expect.anything()],
  [{ period: "forever", dateFrom: "2026-01-01" }, "30d", { from: "2026-03-02", to: today }, expect.anything()],
  [
    { period: "7d", dateFrom: "2026-01-05", dateTo: "2026-01-09" },
    "custom",
    { from: "2026-01-05", to: "2026-01-09" },
    { from: "2025-12-31", to: "2026-01-04" },
  ],
])("the period of %o is %s, and the compared period is right too", (filters, period, days, before) => {
  const range = rangeOf(filters, today);
  expect(range).toEqual({ period, days });
  expect(daysToCompare(range, "before")).toEqual(before);
  expect(daysToCompare(range, "none")).toBeUndefined();
});

test("a range of one day is written as one date", () => {
  const asIs = (day: string) => day;
  expect(formatDays("2026-11-30", "2026-11-30", asIs)).toBe("2026-11-30");
  expect(formatDays("2026-11-01", "2026-11-30", asIs)).toBe("2026-11-01 to 2026-11-30");
});

test("the period to compare in the previous year has the same dates, with February 28 for February 29", () => {
  const compared = (from: string, to: string) => daysToCompare(rangeOf({ dateFrom: from, dateTo: to }, today), "year");
  expect(compared("2026-03-01", "2026-03-31")).toEqual({ from: "2025-03-01", to: "2025-03-31" });
  expect(compared("2024-02-01", "2024-02-29")).toEqual({ from: "2023-02-01", to: "2023-02-28" });
});

test("charts are weekly for periods of more than 92 days, and monthly for more than a year", () => {
  const of = (from: string, to: string) => stepsOf(listDays({ from, to }));
  expect(of("2026-01-01", "2026-04-02")).toMatchObject({ unit: "day", groups: { length: 92 } });
  const weeks = of("2026-01-01", "2026-04-03");
  expect(weeks.unit).toBe("week");
  // January 1 is a Thursday, so the first week has four days.
  expect(weeks.groups.slice(0, 2)).toEqual([
    [0, 3],
    [4, 10],
  ]);
  const months = of("2025-01-15", "2026-03-31");
  expect(months).toMatchObject({ unit: "month", groups: { length: 15 } });
  expect(months.groups.slice(0, 2)).toEqual([
    [0, 16],
    [17, 44],
  ]);
});

test("moving one end of a range of days moves the other end if the range would be reversed or longer than 1,100 days", () => {
  const range = { dateFrom: "2026-01-05", dateTo: "2026-01-09" };
  expect(movedRange({ ...range, dateFrom: "2026-02-01" }, "dateFrom")).toEqual({
    dateFrom: "2026-02-01",
    dateTo: "2026-02-01",
  });
  expect(movedRange({ ...range, dateTo: "2026-01-01" }, "dateTo").dateFrom).toBe("2026-01-01");
  expect(movedRange({ ...range, dateFrom: "2020-01-01" }, "dateFrom").dateTo).toBe("2023-01-04");
  expect(movedRange({ ...range, dateTo: "2030-01-01" }, "dateTo").dateFrom).toBe("2026-12-29");
});
