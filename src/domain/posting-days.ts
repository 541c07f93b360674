import { dayIn, startOfDay } from "./calendar.ts";

export interface TimezoneChange {
  /** Milliseconds. */
  readonly at: number;
  /** The time zone until that instant. */
  readonly before: string;
}

interface Stretch {
  readonly timezone: string;
  readonly since: number;
  readonly until: number;
  /** The last day that is counted in this time zone. Undefined for the current time zone. */
  readonly lastDay: string | undefined;
}

/**
 * Computes the day of an instant in the time zone that was in force then, so that postings stay on their day when the
 * time zone changes. No day occurs twice after a change to a time zone further west.
 */
export class PostingDays {
  readonly #stretches: readonly Stretch[];

  /** `changes` are in chronological order. */
  constructor(timezone: string, changes: readonly TimezoneChange[]) {
    const timezones = [...changes.map(({ before }) => before), timezone];
    this.#stretches = timezones.map((each, i) => {
      const until = changes[i]?.at ?? Number.POSITIVE_INFINITY;
      return {
        timezone: each,
        since: changes[i - 1]?.at ?? Number.NEGATIVE_INFINITY,
        until,
        lastDay: until === Number.POSITIVE_INFINITY ? undefined : dayIn(each, until - 1),
      };
    });
  }

  dayOf(at: number): string {
    let latest = "";
    for (const { timezone, since, until, lastDay } of this.#stretches) {
      if (since > at) break;
      const day = lastDay !== undefined && until <= at ? lastDay : dayIn(timezone, at);
      if (day > latest) latest = day;
    }
    return latest;
  }

  /** The first instant of the day (ms), or of the next day if the day is skipped. */
  startOf(day: string): number {
    const starts = this.#stretches.map(({ timezone, since, until }) => {
      const start = Math.max(since, startOfDay(timezone, day));
      return start < until ? start : Number.POSITIVE_INFINITY;
    });
    return Math.min(...starts);
  }
}
