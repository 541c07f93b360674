import { countDays, type Days, daysBefore, daysEnding } from "#domain/performance.ts";
import { formatDate } from "./format.ts";
import { isDay } from "./is-day.ts";
import type { Filters } from "./url.ts";

/** The longest range of days that the service accepts. */
const maxDays = 1_100;
const dayMs = 86_400_000;

export const periods = [
  ["today", "Today"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
  ["90d", "Last 90 days"],
  ["month", "This month"],
  ["last-month", "Last month"],
  ["ytd", "Year to date"],
  ["all", "All time"],
  ["custom", "Custom"],
] as const;
export type Period = (typeof periods)[number][0];

export const comparisons = [
  ["before", "vs. the period before"],
  ["year", "vs. a year before"],
  ["none", "No comparison"],
] as const;
export type Comparison = (typeof comparisons)[number][0];

/** `days` is undefined for all time. */
export interface Range {
  readonly period: Period;
  readonly days: Days | undefined;
}

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const dayAt = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** A day as text. Days and months beyond the end continue in the next month or year. */
const dayText = (year: number, month: number, day: number): string => dayAt(Date.UTC(year, month, day));

const partsOf = (day: string): readonly [year: number, month: number, day: number] => {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return [year, month - 1, date];
};

/** Clamped to the end of the month: March 31 less a month is February 28. */
function monthsBefore(day: string, months: number): string {
  const [year, month, date] = partsOf(day);
  const last = dayText(year, month - months + 1, 0);
  const same = dayText(year, month - months, date);
  return same < last ? same : last;
}

/** The range of the filters. `today` is in the program's time zone. Default, also for unknown values: 30 days. */
export function rangeOf({ period, dateFrom, dateTo }: Filters, today: string): Range {
  if (isDay(dateFrom) && isDay(dateTo)) return { period: "custom", days: { from: dateFrom, to: dateTo } };
  const known = periods.find(([name]) => name === period && name !== "custom")?.[0] ?? "30d";
  return { period: known, days: daysOf(known, today) };
}

/** A range of days in words. A single day is named once. */
export const formatDays = (from: string, to: string, format = formatDate): string =>
  from === to ? format(from) : `${format(from)} to ${format(to)}`;

/** The period as query parameters of the service. */
export const periodQuery = (days: Days | undefined) =>
  days === undefined ? { period: "all" as const } : { dateFrom: days.from, dateTo: days.to };

function daysOf(period: Period, today: string): Days | undefined {
  const [year, month] = partsOf(today);
  switch (period) {
    case "all":
      return undefined;
    case "today":
      return { from: today, to: today };
    case "month":
      return { from: dayText(year, month, 1), to: today };
    case "last-month":
      return { from: dayText(year, month - 1, 1), to: dayText(year, month, 0) };
    case "ytd":
      return { from: dayText(year, 0, 1), to: today };
    default:
      return daysEnding(today, { "7d": 7, "90d": 90 }[period as string] ?? 30);
  }
}

export const comparisonOf = ({ compare }: Filters): Comparison =>
  comparisons.find(([name]) => name === compare)?.[0] ?? "before";

/**
 * The days to compare a period with. A calendar period is compared with the same days of the previous month or year.
 * Today is left out if it would be compared with a whole day.
 */
export function daysToCompare({ period, days }: Range, comparison: Comparison): Days | undefined {
  if (days === undefined || period === "today" || comparison === "none") return undefined;
  const shifted = (months: number): Days => ({
    from: monthsBefore(days.from, months),
    to: monthsBefore(days.to, months),
  });
  if (comparison === "year" || period === "ytd") return shifted(12);
  if (period === "month") return shifted(1);
  if (period === "last-month") {
    const [year, month] = partsOf(days.from);
    return { from: dayText(year, month - 1, 1), to: dayText(year, month, 0) };
  }
  return daysBefore(days);
}

const shifted = (day: string, days: number): string => dayAt(startOf(day) + days * dayMs);

/**
 * After a move of one end of a range, moves the other end if the two would cross, or if the range would be too long.
 */
export function movedRange(
  { dateFrom, dateTo }: { readonly dateFrom: string; readonly dateTo: string },
  moved: "dateFrom" | "dateTo",
): { readonly dateFrom: string; readonly dateTo: string } {
  if (moved === "dateFrom") {
    const latest = shifted(dateFrom, maxDays - 1);
    return { dateFrom, dateTo: dateTo < dateFrom ? dateFrom : dateTo > latest ? latest : dateTo };
  }
  const earliest = shifted(dateTo, 1 - maxDays);
  return { dateFrom: dateFrom > dateTo ? dateTo : dateFrom < earliest ? earliest : dateFrom, dateTo };
}

/**
 * Maximum number of daily points in a chart. Longer periods are drawn by week, and those of more than a year by month.
 */
const maxDailyPoints = 92;
const maxWeeklyDays = 366;

export interface Step {
  readonly unit: "day" | "week" | "month";
  /** The first and last index of the days in each point. */
  readonly groups: readonly (readonly [first: number, last: number])[];
}

const isMonday = (day: string): boolean => new Date(startOf(day)).getUTCDay() === 1;

/** Groups days into the points of a chart. `days` must have no gaps. */
export function stepsOf(days: readonly string[]): Step {
  const count = countDays({ from: days[0] ?? "1970-01-01", to: days.at(-1) ?? "1970-01-01" });
  const unit = count <= maxDailyPoints ? "day" : count <= maxWeeklyDays ? "week" : "month";
  const begins = { day: () => true, week: isMonday, month: (day: string) => day.endsWith("-01") }[unit];
  const groups: [number, number][] = [];
  for (const [i, day] of days.entries()) {
    const current = groups.at(-1);
    if (current === undefined || begins(day)) groups.push([i, i]);
    else current[1] = i;
  }
  return { unit, groups };
}
