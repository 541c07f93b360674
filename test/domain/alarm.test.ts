import { describe, expect, it } from "vitest";
import { Alarm } from "#engine/alarm.ts";

const start = 1_000_000;

/** An alarm with the test's clock and storage. */
function openAlarm() {
  const set: number[] = [];
  const reported: string[] = [];
  const state = { now: start, isBroken: false };
  const clock = { now: () => state.now, sleep: async () => {}, random: () => 0.5 };
  const setAlarm = async (at: number | Date) => {
    if (state.isBroken) throw new Error("the storage fails");
    set.push(Number(at));
  };
  const alarm = new Alarm({ setAlarm }, clock, (event) => reported.push(event));
  return { alarm, set, reported, state };
}

describe("the alarm", () => {
  it("is set once, to the earliest requested time", async () => {
    const { alarm, set } = openAlarm();
    for (const at of [9_000, 5_000, 7_000, 5_000, 9_000]) await alarm.arm(start + at);
    expect(set).toEqual([start + 9_000, start + 5_000]);
  });

  it("is set to the earliest requested time by the next request after a failure", async () => {
    const { alarm, set, reported, state } = openAlarm();
    state.isBroken = true;
    await alarm.arm(start + 5_000);
    expect(reported).toEqual(["ledger.alarm_failed"]);
    state.isBroken = false;
    await alarm.arm(start + 70_000);
    expect(set).toEqual([start + 5_000]);
  });

  it("is set again if overdue, and left alone if slightly late", async () => {
    const { alarm, set, state } = openAlarm();
    await alarm.arm(start + 5_000);
    state.now = start + 6_000;
    await alarm.arm(start + 70_000);
    expect(set).toEqual([start + 5_000]);
    state.now = start + 600_000;
    await alarm.arm(start + 700_000);
    expect(set).toEqual([start + 5_000, start + 5_000]);
  });

  it("runs, and is set to the next run", async () => {
    const { alarm, set } = openAlarm();
    await alarm.arm(start + 5_000);
    await alarm.ring({ maintain: async () => start + 80_000 });
    await alarm.ring({ maintain: async () => undefined });
    await alarm.arm(start + 90_000);
    expect(set).toEqual([start + 5_000, start + 80_000, start + 90_000]);
  });

  it("fails if it can't be set for the next run, so that the runtime retries", async () => {
    const { alarm, state } = openAlarm();
    state.isBroken = true;
    await expect(alarm.start()).rejects.toThrow();
    await expect(alarm.ring({ maintain: () => Promise.reject(new Error("down")) })).rejects.toThrow(
      "the storage fails",
    );
  });
});
