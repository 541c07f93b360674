import { dateUtc, dayMs, hourMs } from "#domain/calendar.ts";
import type { Happening, SampleEvent } from "./events.ts";
import { joining } from "./joining.ts";
import { Random } from "./random.ts";
import { days, joinedPartner, partners, pausedOnDay, pausedPartner, payer, programTerms, windowDays } from "./shop.ts";
import { instantOf, stories } from "./stories.ts";
import { traffic } from "./traffic.ts";

const minuteMs = 60_000;

/**
 * Returns the sample program's events until `now`, in order. Calls on one day return the same events, up to their
 * `now`.
 */
export function planSample(now: number): readonly SampleEvent[] {
  const start = Date.parse(dateUtc(now)) - (days - 1) * dayMs;
  const events = [
    ...settings(start),
    ...stories(start),
    ...joining(start),
    ...traffic(start, new Random("sample shop")),
  ];
  const happened = events
    .filter(({ at }) => at <= now)
    .map((event) => ({ ...event, at: Math.floor(event.at) }))
    .toSorted((a, b) => a.at - b.at);
  return numbered(happened);
}

/** Numbers customers and orders in the order of their first event. */
function numbered(events: readonly SampleEvent[]): readonly SampleEvent[] {
  const customers = new Map<string, string>();
  const orders = new Map<string, string>();
  return events.map((event) => ({
    ...event,
    ...("customer" in event && { customer: numberOf(event.customer, customers, "cus_1") }),
    ...("transaction" in event && { transaction: numberOf(event.transaction, orders, "order-5") }),
  }));
}

function numberOf(name: string, numbers: Map<string, string>, prefix: string): string {
  const number = numbers.get(name) ?? `${prefix}${String(numbers.size + 1).padStart(3, "0")}`;
  numbers.set(name, number);
  return number;
}

const returned = { code: "wander", reason: "Returned with code AC04", partnerNote: "Your account is closed" };

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
    { at: instantOf(start, [3, 9]), kind: "partner-joined", code: joinedPartner },
    { at: instantOf(start, [4, 9]), kind: "payer-set", payer },
    ...partners.flatMap(({ code, details }, i) => {
      const setAt = instantOf(start, [5, 9]) + i * minuteMs;
      return details === undefined ? [] : [{ at: setAt, kind: "details-set", code, details } as const];
    }),
    { at: instantOf(start, [40, 9]), kind: "paid-out", reference: "sample-payout-1", failed: [] },
    { at: instantOf(start, [71, 9]), kind: "paid-out", reference: "sample-payout-2", failed: [returned] },
    { at: start + pausedOnDay * dayMs + 5 * hourMs, kind: "partner-paused", code: pausedPartner },
  ];
}
