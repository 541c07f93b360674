import type { Filters } from "../../url.ts";

/** The service's limit for a range. */
const maxDays = 1_100;
const dayMs = 86_400_000;

export const periods = [
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
  ["all", "All time"],
] as const;

type Period = (typeof periods)[number][0];
export type PeriodQuery = { readonly period: Period } | { readonly dateFrom: string; readonly dateTo: string };

const isDay = (text: string | undefined): text is string => /^\d{4}-\d\d-\d\d$/.test(text ?? "");

/** Default: 30 days, also for values that the service doesn't know. */
export function periodQuery({ period, dateFrom, dateTo }: Filters): PeriodQuery {
  if (isDay(dateFrom) && isDay(dateTo)) return { dateFrom, dateTo };
  return { period: periods.find(([known]) => known === period)?.[0] ?? "30d" };
}

const shifted = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

/** Moves the other end along if the two would cross or exceed the longest range. */
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
