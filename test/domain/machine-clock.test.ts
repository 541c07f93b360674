import { expect, it } from "vitest";
import { MachineClock } from "#domain/machine-clock.ts";

const now = Date.UTC(2026, 4, 1);
const hour = 3_600_000;
const started = { at: now, uptimeMs: 10 * hour };

/** Reports the machine's clock and uptime, in hours since the first report. */
const after = (clock: MachineClock, clockHours: number, uptimeHours: number) =>
  clock.take({ at: now + clockHours * hour, uptimeMs: started.uptimeMs + uptimeHours * hour });

it("a clock that was never reported isn't considered wrong", () => {
  expect(new MachineClock().fault(now)).toBeUndefined();
});

it("a clock that advances with the machine's uptime counts as right, also after the machine slept", () => {
  const clock = new MachineClock();
  clock.take(started);
  after(clock, 5_000, 5_000);
  expect(clock.fault(now + 5_000 * hour)).toBeUndefined();
});

it("a clock set ahead by more than a day is wrong until it is set back", () => {
  const clock = new MachineClock();
  clock.take(started);
  after(clock, 25, 0.5);
  expect(clock.fault(now + 25 * hour)).toBe("the clock shows 2026-05-02T01:00:00.000Z, and was set ahead by 25 hours");
  after(clock, 1, 1);
  expect(clock.fault(now + hour)).toBeUndefined();
});

it("a clock set ahead by less than a day, or set back, isn't reported as wrong", () => {
  const clock = new MachineClock();
  clock.take(started);
  after(clock, 23, 0);
  expect(clock.fault(now + 23 * hour)).toBeUndefined();
  after(clock, -5_000, 1);
  expect(clock.fault(now - 5_000 * hour)).toBeUndefined();
});

it("a clock jump is detected before the next report, which then shows whether the machine slept", () => {
  const clock = new MachineClock();
  clock.take(started);
  const awake = now + 48 * hour;
  expect(clock.fault(awake)).toContain("and a few seconds ago 2026-05-01T00:00:00.000Z");
  after(clock, 48, 48);
  expect(clock.fault(awake)).toBeUndefined();
});

it("setting a clock that another source showed to be wrong isn't reported, and setting it ahead later is", () => {
  const clock = new MachineClock();
  clock.take(started);
  clock.suspend();
  after(clock, 0, 1);
  expect(clock.fault(now + 48 * hour)).toBeUndefined();
  clock.resume();
  after(clock, 48, 1);
  expect(clock.fault(now + 48 * hour)).toBeUndefined();
  after(clock, 100, 2);
  expect(clock.fault(now + 100 * hour)).toContain("was set ahead by 51 hours");
});
