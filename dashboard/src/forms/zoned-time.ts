import { dayIn } from "#domain/calendar.ts";

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockIn(timezone: string): Intl.DateTimeFormat {
  const known = clocks.get(timezone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en", {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: timezone,
  });
  clocks.set(timezone, made);
  return made;
}

/** Value for a `datetime-local` input: "2026-03-01T14:05". `at` in milliseconds. */
export const zonedMinute = (timezone: string, at: number): string =>
  `${dayIn(timezone, at)}T${clockIn(timezone).format(at)}`;

/** Returns the instant at which clocks in the time zone show `minute`. Undefined if the text isn't a date and time. */
export function instantOf(timezone: string, minute: string): string | undefined {
  const wanted = Date.parse(`${minute}Z`);
  if (Number.isNaN(wanted)) return undefined;
  let at = wanted;
  // The first guess may be on the other side of a clock change, where the offset differs.
  for (let i = 0; i < 2; i += 1) at += wanted - Date.parse(`${zonedMinute(timezone, at)}Z`);
  return new Date(at).toISOString();
}
