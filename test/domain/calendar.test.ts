import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addMonthsUtc, dateUtc, dayIn, dayMs, endOfDay, hourMs, isTimezone, startOfDay } from "#domain/calendar.ts";

const at = Date.parse;
const instant = fc.integer({ min: at("1971-01-01T00:00:00Z"), max: at("2099-12-31T23:59:59Z") });
const timezone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"), "UTC");

describe("dayIn", () => {
  it.each([
    ["UTC", "2026-03-01T00:00:00Z", "2026-03-01"],
    ["Pacific/Kiritimati", "2026-02-28T10:00:00Z", "2026-03-01"],
    ["Pacific/Pago_Pago", "2026-03-01T10:59:59Z", "2026-02-28"],
    ["Asia/Kathmandu", "2025-12-31T18:15:00Z", "2026-01-01"],
    ["Europe/Berlin", "2026-03-29T21:59:59Z", "2026-03-29"],
    ["Europe/Berlin", "2026-03-29T22:00:00Z", "2026-03-30"],
    ["Europe/Berlin", "2026-10-25T22:59:59Z", "2026-10-25"],
    ["Europe/Berlin", "2026-10-25T23:00:00Z", "2026-10-26"],
  ])("the day in %s at %s is %s", (zone, text, day) => {
    expect(dayIn(zone, at(text))).toBe(day);
  });

  it("dayIn returns the same days as the time zone database in every zone", () => {
    fc.assert(
      fc.property(timezone, instant, (zone, ms) => {
        const wall = new Date(ms).toLocaleString("sv-SE", { timeZone: zone });
        expect(dayIn(zone, ms)).toBe(wall.slice(0, 10));
      }),
    );
  });

  it("dayIn returns each day of a year once and in order, across clock changes", () => {
    for (const zone of ["America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Casablanca"]) {
      const days: string[] = [];
      for (let ms = at("2025-01-01T12:00:00Z"); ms < at("2026-01-01T12:00:00Z"); ms += hourMs) {
        const day = dayIn(zone, ms);
        if (day !== days.at(-1)) days.push(day);
      }
      expect(days).toEqual([...new Set(days)].sort());
      expect(days).toHaveLength(366);
    }
  });
});

describe("isTimezone", () => {
  it.each(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"])("isTimezone accepts %s", (name) => {
    expect(isTimezone(name)).toBe(true);
  });
  it.each(["", "+02:00", "-0500", "Mars/Olympus", "Europe/Berlin ", "Berlin"])("isTimezone rejects %j", (name) => {
    expect(isTimezone(name)).toBe(false);
  });
});

describe("addMonthsUtc", () => {
  it.each([
    ["2026-01-31T10:20:30.400Z", 1, "2026-02-28T10:20:30.400Z"],
    ["2024-01-31T00:00:00.000Z", 1, "2024-02-29T00:00:00.000Z"],
    ["2024-02-29T00:00:00.000Z", 12, "2025-02-28T00:00:00.000Z"],
    ["2026-03-31T23:59:59.999Z", 6, "2026-09-30T23:59:59.999Z"],
    ["2026-11-15T00:00:00.000Z", 3, "2027-02-15T00:00:00.000Z"],
    ["2026-01-31T00:00:00.000Z", 2, "2026-03-31T00:00:00.000Z"],
    ["2026-05-05T05:05:05.005Z", 0, "2026-05-05T05:05:05.005Z"],
  ])("the instant %s plus %d months is %s", (from, months, to) => {
    expect(new Date(addMonthsUtc(at(from), months)).toISOString()).toBe(to);
  });

  it("addMonthsUtc returns the same day and time in the intended month, or that month's last day", () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: 0, max: 240 }), (ms, months) => {
        const [from, to] = [new Date(ms), new Date(addMonthsUtc(ms, months))];
        const monthOf = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();
        expect(monthOf(to) - monthOf(from)).toBe(months);
        expect((to.getTime() - from.getTime()) % dayMs).toBe(0);
        const isMonthsLast = new Date(to.getTime() + dayMs).getUTCDate() === 1;
        expect(to.getUTCDate() === from.getUTCDate() || (isMonthsLast && to.getUTCDate() < from.getUTCDate())).toBe(
          true,
        );
      }),
    );
  });
});

it("dateUtc returns the UTC day", () => {
  expect(dateUtc(at("2026-07-31T23:59:59.999Z"))).toBe("2026-07-31");
});

describe("startOfDay and endOfDay", () => {
  it.each([
    ["UTC", "2026-03-01", "2026-03-01T00:00:00Z", 24],
    ["America/New_York", "2026-03-08", "2026-03-08T05:00:00Z", 23],
    ["America/New_York", "2026-11-01", "2026-11-01T04:00:00Z", 25],
    ["Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z", 23],
    ["Pacific/Kiritimati", "2026-01-01", "2025-12-31T10:00:00Z", 24],
    ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", 0],
    ["UTC", "1970-01-01", "1970-01-01T00:00:00Z", 24],
  ])("startOfDay and endOfDay find that in %s, %s begins at %s and has %i hours", (timezone, day, start, hours) => {
    expect(startOfDay(timezone, day)).toBe(at(start));
    expect((endOfDay(timezone, day) - at(start)) / hourMs).toBe(hours);
  });

  it("startOfDay and endOfDay cover all time with the days that dayIn returns", () => {
    // Before 2012, a few places set clocks back over midnight, so that a day occurred twice.
    const since2012 = fc.integer({ min: at("2012-01-01T00:00:00Z"), max: at("2099-12-31T23:59:59Z") });
    fc.assert(
      fc.property(timezone, since2012, (zone, instant) => {
        const day = dayIn(zone, instant);
        const start = startOfDay(zone, day);
        expect(start).toBeLessThanOrEqual(instant);
        expect(endOfDay(zone, day)).toBeGreaterThan(instant);
        expect([dayIn(zone, start), dayIn(zone, start - 1) < day]).toEqual([day, true]);
      }),
    );
  });
});
