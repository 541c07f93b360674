import { dayIn, startOfDay } from "./calendar.ts";

export interface TimezoneChange {
  /** Milliseconds. */
  readonly at: number;
  /** The time zone until then. */
  readonly before: string;
}

interface Stretch {
  readonly timezone: string;
  readonly since: number;
  readonly until: number;
  /** Undefined for the current time zone. */
  readonly lastDay: string | undefined;
}

/**
 * Days in the time zone in force at each instant, so that a past day keeps its postings. No day is repeated after a
 * change to a time zone further west.
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

  /** The first instant of the day, or of the next if it is skipped. */
  startOf(day: string): number {
    const starts = this.#stretches.map(({ timezone, since, until }) => {
      const start = Math.max(since, startOfDay(timezone, day));
      return start < until ? start : Number.POSITIVE_INFINITY;
    });
    return Math.min(...starts);
  }
}
