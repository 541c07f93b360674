import { dateUtc, dayMs, hourMs } from "../../src/domain/calendar.ts";
import type { Happening, SampleEvent } from "./events.ts";
import { Random } from "./random.ts";
import { days, partners, pausedOnDay, pausedPartner, programTerms, windowDays } from "./shop.ts";
import { instantOf, stories } from "./stories.ts";
import { traffic } from "./traffic.ts";

const minuteMs = 60_000;

/** What happened in the sample program until `now`, in order. The same on every call of one day, except for its end. */
export function planSample(now: number): readonly SampleEvent[] {
  const start = Date.parse(dateUtc(now)) - (days - 1) * dayMs;
  const events = [...settings(start), ...stories(start), ...traffic(start, new Random("sample shop"))];
  return events
    .filter(({ at }) => at <= now)
    .map((event) => ({ ...event, at: Math.floor(event.at) }))
    .toSorted((a, b) => a.at - b.at);
}

function settings(start: number): readonly SampleEvent[] {
  let at = instantOf(start, [0, 5]);
  const first: readonly Happening[] = [
    { kind: "program-created" },
    { kind: "window-set", days: windowDays },
    ...partners.map(({ name, code }) => ({ kind: "partner-created", name, code }) as const),
  ];
  const policies = [
    ...programTerms.map(({ day, terms }) => ({ at: instantOf(start, [day, 7]), kind: "policy-set", terms }) as const),
    ...partners.flatMap(({ code, terms }, i) => {
      const setAt = instantOf(start, [1, 7]) + (i + 1) * minuteMs;
      return terms === undefined ? [] : [{ at: setAt, kind: "policy-set", partner: code, terms } as const];
    }),
  ];
  return [
    ...first.map((happening) => {
      at += 2 * minuteMs;
      return { ...happening, at };
    }),
    ...policies,
    { at: start + pausedOnDay * dayMs + 5 * hourMs, kind: "partner-paused", code: pausedPartner },
  ];
}
