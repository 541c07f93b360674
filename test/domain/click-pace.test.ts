import { expect, test } from "vitest";
import { type ClickPace, haveClicksStopped } from "#domain/click-pace.ts";

const day = 86_400_000;
const at = Date.parse("2026-05-29T12:00:00Z");
const ofFourWeeks = (activeDays: number): ClickPace => ({ activeDays, firstDay: "2026-05-01", lastDay: "2026-05-28" });
const daily = ofFourWeeks(28);
const twiceAWeek = ofFourWeeks(8);
const single: ClickPace = { activeDays: 1, firstDay: "2026-05-28", lastDay: "2026-05-28" };

test.each([
  ["a program with daily clicks", daily, 1, 2],
  ["a program with clicks every other day", ofFourWeeks(14), 6, 8],
  ["a program with clicks on two days a week", twiceAWeek, 13, 16],
  ["a program with clicks on a single day", single, 6, 7],
])("for %s, clicks count as stopped after a number of days that depends on their pace", (_, pace, quiet, stopped) => {
  expect(haveClicksStopped(at - quiet * day, pace, at)).toBe(false);
  expect(haveClicksStopped(at - stopped * day, pace, at)).toBe(true);
});

test("a program that never had a click isn't reported as one whose clicks have stopped", () => {
  expect(haveClicksStopped(null, { activeDays: 0, firstDay: null, lastDay: null }, at)).toBe(false);
});
