export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Tolerance for clocks that differ. An event up to this far in the future is accepted as happening now. */
export const clockToleranceMs = 5 * 60_000;

/** Formats milliseconds as "YYYY-MM-DD" in UTC. */
export function dateUtc(at: number): string {
  const day = Math.floor(at / dayMs);
  if (latest?.day !== day) latest = { day, text: new Date(at).toISOString().slice(0, 10) };
  return latest.text;
}

let latest: { readonly day: number; readonly text: string } | undefined;

// One formatter for each time zone, because creating one takes tens of microseconds.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterFor(timezone: string): Intl.DateTimeFormat {
  const known = formatters.get(timezone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    calendar: "gregory",
    numberingSystem: "latn",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  formatters.set(timezone, made);
  return made;
}

/** The day ("YYYY-MM-DD") of an instant in a time zone. `timezone` must pass `isTimezone`. */
export function dayIn(timezone: string, at: number): string {
  if (timezone === "UTC") return dateUtc(at);
  // Built from parts, because the order of the parts in a locale has changed between ICU releases.
  let year = "";
  let month = "";
  let day = "";
  for (const { type, value } of formatterFor(timezone).formatToParts(at)) {
    if (type === "year") year = value;
    else if (type === "month") month = value;
    else if (type === "day") day = value;
  }
  return `${year.padStart(4, "0")}-${month}-${day}`;
}

/**
 * The instant at which the day begins in the time zone (ms). If the time zone skips that day, the start of the next.
 */
export function startOfDay(timezone: string, day: string): number {
  const midnightUtc = Date.parse(`${day}T00:00:00Z`);
  // The offset of a time zone from UTC is less than a day, so the day begins between these two instants.
  let before = midnightUtc - dayMs;
  let start = midnightUtc + dayMs;
  while (start - before > 1) {
    const between = Math.floor((before + start) / 2);
    if (dayIn(timezone, between) < day) before = between;
    else start = between;
  }
  return start;
}

export const addDays = (day: string, count: number): string => dateUtc(Date.parse(`${day}T00:00:00Z`) + count * dayMs);

export const dayAfter = (day: string): string => addDays(day, 1);

/** The first instant after the day (ms). */
export const endOfDay = (timezone: string, day: string): number => startOfDay(timezone, dayAfter(day));

/** Accepts names of the IANA time zone database. Offsets such as "+02:00" are rejected. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Adds months. A day that doesn't exist becomes the last of the month: January 31 plus one month is February 28. */
export function addMonthsUtc(at: number, months: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.setUTCDate(Math.min(day, lastDay));
}

export const earliest = (...instants: readonly (number | undefined)[]): number | undefined => {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};
