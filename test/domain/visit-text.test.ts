import { expect, it, test } from "vitest";
import { storedLanguage, storedSize, storedText, storedTimezone } from "#domain/visit-text.ts";

it.each([...["en", "en-US", "zh-Hant-TW", "de-CH-1996", "x-private", "i-klingon", "es-419"]])(
  "the visit's text %s is stored as a language",
  (text) => expect(storedLanguage(text)).toBe(text),
);

it.each([
  ...["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "America/Port-au-Prince", "EST5EDT"],
])("the visit's text %s is stored as a time zone", (text) => expect(storedTimezone(text)).toBe(text));

it.each(["1x1", "1920x1080", "99999x99999"])("the visit's text %s is stored as a screen size", (text) =>
  expect(storedSize(text)).toBe(text),
);

it.each([
  ...["", "en_US", "en-US,en;q=0.9", "jane.doe@mail.example", "jane doe", "en-", `e${"-en".repeat(30)}`],
  ...["Europe / Berlin", "A/B/C/D", "+49 555 1234560", "1920 x 1080", "100000x1", "1920x1080\n", "1x1x1", "\u{1f4b6}"],
])("the visit's text %j isn't stored as a language, time zone or size", (text) => {
  const isLanguage = storedLanguage(text) !== null;
  const isTimezone = storedTimezone(text) !== null;
  expect([isLanguage, isTimezone, storedSize(text)]).toEqual([false, text === "en_US" || text === "en-", null]);
});

test("only the first 128 characters of a visit's text are stored, and never half a character", () => {
  expect(storedText(undefined)).toBeNull();
  expect(storedText("x".repeat(128))).toHaveLength(128);
  expect(storedText("x".repeat(129))).toBe("x".repeat(128));
  expect(storedText(`${"x".repeat(127)}\u{1f4b6}`)).toBe("x".repeat(127));
  expect(storedText(`${"x".repeat(126)}\u{1f4b6}y`)).toBe(`${"x".repeat(126)}\u{1f4b6}`);
});
