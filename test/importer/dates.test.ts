import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTimestamp } from "#http/schema/timestamp.ts";
import { dateOrderOf, readInstant } from "../../importer/dates.ts";

const instant = (text: string, order?: "dmy" | "mdy") => {
  const reading = readInstant(text, order);
  return reading.ok ? reading.value : reading.code;
};

test.each([
  ["2026-03-01", "2026-03-01"],
  ["2026-3-1", "2026-03-01"],
  ["2026/03/01", "2026-03-01"],
  ["2026.03.01", "2026-03-01"],
  ["01.03.2026", "2026-03-01"],
  ["1.3.2026", "2026-03-01"],
  ["1. 3. 2026", "2026-03-01"],
  ["3/3/2026", "2026-03-03"],
  ["Mar 1, 2026", "2026-03-01"],
  ["March 1 2026", "2026-03-01"],
  ["1 Mar 2026", "2026-03-01"],
  ["1 September 2026", "2026-09-01"],
  ["Sept. 1, 2026", "2026-09-01"],
  ["2026-03-01 12:30", "2026-03-01T12:30:00Z"],
  ["2026-03-01T12:30", "2026-03-01T12:30:00Z"],
  ["2026-03-01 9:05:07", "2026-03-01T09:05:07Z"],
  ["2026-03-01T12:30:00.123Z", "2026-03-01T12:30:00.123Z"],
  ["2026-03-01T12:30:00+02:00", "2026-03-01T12:30:00+02:00"],
  ["2026-03-01 12:30:00 UTC", "2026-03-01T12:30:00Z"],
  ["2026-03-01 12:30:00 +0000", "2026-03-01T12:30:00+0000"],
  ["01.03.2026 12:30", "2026-03-01T12:30:00Z"],
  ["01.03.2026, 12:30:15", "2026-03-01T12:30:15Z"],
  ["3/3/2026 1:30 PM", "2026-03-03T13:30:00Z"],
  ["3/3/2026 12:30 am", "2026-03-03T00:30:00Z"],
  ["Mar 1, 2026, 12:30 p.m.", "2026-03-01T12:30:00Z"],
  ["  2026-03-01  ", "2026-03-01"],
])("the date %s is read as %s", (text, expected) => {
  expect(instant(text)).toBe(expected);
  expect(parseTimestamp(expected.includes("T") ? expected : `${expected}T00:00:00Z`)).toBeDefined();
});

test.each([
  "yesterday",
  "2026-02-29",
  "2026-13-01",
  "31.04.2026",
  "3/1/26",
  "01.03.26",
  "46082",
  "2026-03",
  "2026-03-01 25:00",
  "2026-03-01 12:60",
  "3/3/2026 13:00 PM",
  "Mon 1, 2026",
  "Marzo 1, 2026",
  "2026-03/01",
])("the text %s isn't read as a date", (text) => {
  expect(instant(text, "dmy")).toBe("invalid_value");
});

test("the dates with slashes in a whole column decide whether the day or the month comes first", () => {
  expect(dateOrderOf(["3/1/2026", "25/1/2026", "", "2026-03-01"])).toBe("dmy");
  expect(dateOrderOf(["3/1/2026 12:00", "1-25-2026"])).toBe("mdy");
  expect(dateOrderOf(["3/1/2026", "13.1.2026"])).toBeUndefined();
  expect(dateOrderOf(["25/1/2026", "1/25/2026"])).toBeUndefined();
  expect(instant("3/1/2026", "dmy")).toBe("2026-01-03");
  expect(instant("3/1/2026", "mdy")).toBe("2026-03-01");
  expect(instant("3-1-2026", "mdy")).toBe("2026-03-01");
  expect(instant("3/1/2026")).toBe("ambiguous_date");
  expect(instant("25/1/2026", "mdy")).toBe("invalid_value");
});

test("each instant is read correctly, in every format", () => {
  const two = (value: number) => String(value).padStart(2, "0");
  fc.assert(
    fc.property(fc.date({ min: new Date("2000-01-01"), max: new Date("2040-01-01"), noInvalidDate: true }), (date) => {
      const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
      const iso = date.toISOString().slice(0, 10);
      expect(instant(`${day}.${month}.${year}`)).toBe(iso);
      expect(instant(`${day}/${month}/${year}`, "dmy")).toBe(iso);
      expect(instant(`${two(month)}/${two(day)}/${year}`, "mdy")).toBe(iso);
      const us = date.toLocaleString("en-US", { timeZone: "UTC" });
      expect(instant(us, "mdy")).toBe(`${date.toISOString().slice(0, 19)}Z`);
      const german = date.toLocaleString("de-DE", { timeZone: "UTC" });
      expect(instant(german)).toBe(`${date.toISOString().slice(0, 19)}Z`);
    }),
  );
});

test.each(["1899-12-30", "30.12.1899", "12/31/1969", "1970-01-01T00:00:00Z", "1/0/1900", "1904-01-01", "Jan 1, 1999"])(
  "the date %s is recognized as one that a spreadsheet writes for an empty cell",
  { tags: ["finding"] },
  (text) => {
    expect(readInstant(text, undefined)).toEqual({
      ok: false,
      code: "invalid_value",
      expected: "a date from 2000 on, because a spreadsheet writes an earlier one for an empty date: empty the cell",
    });
  },
);
