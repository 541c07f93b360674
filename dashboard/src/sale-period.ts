import { dayIn } from "#domain/calendar.ts";
import { isDay } from "./is-day.ts";
import { dateLocale } from "./locale.ts";

/** Calendar periods that a sale may lie in, as the URL names them. */
export const salePeriods = [
  ["month", "This month"],
  ["last-month", "Last month"],
  ["quarter", "This quarter"],
  ["last-quarter", "Last quarter"],
] as const;
export type SalePeriod = (typeof salePeriods)[number][0];

export interface SaleDays {
  readonly dateFrom?: string;
  readonly dateTo?: string;
}

const dayText = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

const lengths: Readonly<Record<SalePeriod, readonly [months: number, back: number]>> = {
  month: [1, 0],
  "last-month": [1, 1],
  quarter: [3, 0],
  "last-quarter": [3, 1],
};

/** The days of a period. `today` is a day such as "2026-03-01". */
export function daysOfPeriod(period: SalePeriod, today: string): Required<SaleDays> {
  const [months, back] = lengths[period];
  const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7)) - 1];
  const first = Math.floor(month / months) * months - back * months;
  return { dateFrom: dayText(year, first, 1), dateTo: dayText(year, first + months, 0) };
}

/** Name of the month of a day such as "2026-03-01". */
export const monthName = (day: string): string =>
  new Intl.DateTimeFormat(dateLocale, { month: "long", timeZone: "UTC" }).format(Date.parse(day));

export const todayIn = (timezone: string): string => dayIn(timezone, Date.now());

interface PeriodFilters {
  readonly sold?: string | undefined;
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

export const knownPeriod = (sold: string | undefined): SalePeriod | undefined =>
  salePeriods.find(([name]) => name === sold)?.[0];

/** The days on which the filters want sales. Anything but a known period or a day is ignored. */
export function saleDays({ sold, dateFrom, dateTo }: PeriodFilters, timezone: string): SaleDays {
  const period = knownPeriod(sold);
  if (period !== undefined) return daysOfPeriod(period, todayIn(timezone));
  return { ...(isDay(dateFrom) && { dateFrom }), ...(isDay(dateTo) && { dateTo }) };
}
