import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dayIn, dayMs, hourMs } from "#domain/calendar.ts";
import { PostingDays } from "#domain/posting-days.ts";

const at = (text: string) => Date.parse(text);

describe("posting days", () => {
  test("posting days follow the program's time zone", () => {
    const days = new PostingDays("America/New_York", []);
    expect(days.dayOf(at("2026-03-09T03:59:59Z"))).toBe("2026-03-08");
    expect(days.startOf("2026-03-09")).toBe(at("2026-03-09T04:00:00Z"));
  });

  test("posting days stay as they were when the program's time zone changes, and no day repeats or begins twice", () => {
    const change = { at: at("2026-05-10T12:00:00Z"), before: "Pacific/Kiritimati" };
    const days = new PostingDays("Pacific/Honolulu", [change]);
    // In Kiritimati it was already May 11 for two hours. In Honolulu it is still May 10 for 22 hours.
    expect(days.dayOf(change.at - 1)).toBe("2026-05-11");
    expect(days.dayOf(change.at)).toBe("2026-05-11");
    expect(days.dayOf(at("2026-05-12T09:59:59Z"))).toBe("2026-05-11");
    expect(days.startOf("2026-05-11")).toBe(at("2026-05-10T10:00:00Z"));
    expect(days.startOf("2026-05-12")).toBe(at("2026-05-12T10:00:00Z"));
  });

  test("a posting day is empty if a change of the program's time zone skips it", () => {
    const change = { at: at("2026-05-10T09:30:00Z"), before: "Pacific/Honolulu" };
    const days = new PostingDays("Pacific/Kiritimati", [change]);
    expect([change.at - 1, change.at].map((each) => days.dayOf(each))).toEqual(["2026-05-09", "2026-05-10"]);
    expect(days.startOf("2026-05-10")).toBe(change.at);
  });

  test("the first instant of a posting day is on this day, and the instant before on an earlier day, whatever time zone changes came before", () => {
    const timezone = fc.constantFrom(
      "UTC",
      "Europe/Amsterdam",
      "America/New_York",
      "Pacific/Kiritimati",
      "Pacific/Pago_Pago",
    );
    const start = at("2026-03-01T00:00:00Z");
    const instant = fc.integer({ min: 0, max: 60 * 24 }).map((hours) => start + hours * hourMs);
    const change = fc.record({ at: instant, before: timezone });
    fc.assert(
      fc.property(
        timezone,
        fc.uniqueArray(change, { maxLength: 4, selector: (each) => each.at }),
        instant,
        (now, some, t) => {
          const days = new PostingDays(
            now,
            some.toSorted((a, b) => a.at - b.at),
          );
          const day = days.dayOf(t);
          const begins = days.startOf(day);
          expect(begins).toBeLessThanOrEqual(t);
          expect(days.dayOf(begins)).toBe(day);
          expect(days.dayOf(begins - 1) < day).toBe(true);
          expect(days.dayOf(t + dayMs) >= day).toBe(true);
          if (some.length === 0) expect(day).toBe(dayIn(now, t));
        },
      ),
      { numRuns: 200 },
    );
  });
});
