import { dateLocale } from "./locale.ts";

const steps = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;
const dayMs = 86_400_000;

const relative = new Intl.RelativeTimeFormat(dateLocale, { numeric: "auto" });

/** The time since an instant, in words. `now` is in milliseconds. */
export function formatAgo(instant: string, now: number): string {
  const seconds = Math.round((Date.parse(instant) - now) / 1000);
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return unit === "second" && Math.abs(seconds) < 10 ? "just now" : relative.format(Math.trunc(seconds / size), unit);
}

export const isWithinDay = (instant: string, now: number): boolean => Math.abs(now - Date.parse(instant)) < dayMs;

const clock = { hour: "numeric", minute: "2-digit" } as const;
const styles = {
  day: { day: "numeric", month: "short" },
  year: { year: "numeric" },
  short: { day: "numeric", month: "short", ...clock },
  full: { day: "numeric", month: "short", year: "numeric", ...clock, second: "2-digit", timeZoneName: "short" },
  zone: { timeZoneName: "short" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

// Creating a formatter takes tens of microseconds, and a page has hundreds of times.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(style: keyof typeof styles, timeZone: string, withYear = false): Intl.DateTimeFormat {
  const name = `${style} ${timeZone} ${withYear}`;
  const known = formatters.get(name);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(dateLocale, { ...styles[style], ...(withYear && styles.year), timeZone });
  formatters.set(name, made);
  return made;
}

export const ownTimezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

function isOtherYear(at: number, timezone: string, now: number): boolean {
  const years = formatter("year", timezone);
  return years.format(at) !== years.format(now);
}

/** Date and time of an instant in the time zone, without the year if it is the current one. */
export function formatInstant(instant: string, timezone: string, now = Date.now()): string {
  const at = Date.parse(instant);
  return formatter("short", timezone, isOtherYear(at, timezone, now)).format(at);
}

/** The day of an instant in the time zone, without the year if it is the current one. */
export function formatDayOf(instant: string, timezone: string, now = Date.now()): string {
  const at = Date.parse(instant);
  return formatter("day", timezone, isOtherYear(at, timezone, now)).format(at);
}

/**
 * "29 Nov, 23:00 – 23:59". The end is a minute before the full hour, because an end at 00:00 would add the next day's
 * date.
 */
export const formatHour = (instant: string, timezone: string): string =>
  formatter("short", timezone).formatRange(Date.parse(instant), Date.parse(instant) + 3_540_000);

export const zoneTitle = (timezone: string): string => timezone.replaceAll("_", " ");

/** "CET", or "GMT+1" where the reader's region has no name for it. */
export function zoneName(timezone: string, at: number): string {
  const parts = formatter("zone", timezone).formatToParts(at);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? timezone;
}

/** The instant in the time zone, in the reader's own, and in UTC. */
export function formatEverywhere(instant: string, timezone: string, own: string): string {
  const at = Date.parse(instant);
  const there = formatter("full", timezone).format(at);
  const here = formatter("full", own).format(at);
  return [there, ...(here === there ? [] : [`Your time: ${here}`]), new Date(at).toISOString()].join("\n");
}
