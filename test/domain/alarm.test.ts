import { describe, expect, it } from "vitest";
import { Alarm } from "#engine/alarm.ts";

const start = 1_000_000;

/** Opens an alarm with a clock and storage that the test controls. */
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

describe("the Ledger's alarm", () => {
  it("the Ledger's alarm is set only if the requested time is earlier than the time already set", async () => {
    const { alarm, set } = openAlarm();
    for (const at of [9_000, 5_000, 7_000, 5_000, 9_000]) await alarm.arm(start + at);
    expect(set).toEqual([start + 9_000, start + 5_000]);
  });

  it("after the Ledger's alarm couldn't be set, the next request sets it to the earliest time requested so far", async () => {
    const { alarm, set, reported, state } = openAlarm();
    state.isBroken = true;
    await alarm.arm(start + 5_000);
    expect(reported).toEqual(["ledger.alarm_failed"]);
    state.isBroken = false;
    await alarm.arm(start + 70_000);
    expect(set).toEqual([start + 5_000]);
  });

  it("the Ledger's alarm is set again if it is long overdue, and left alone if it is slightly late", async () => {
    const { alarm, set, state } = openAlarm();
    await alarm.arm(start + 5_000);
    state.now = start + 6_000;
    await alarm.arm(start + 70_000);
    expect(set).toEqual([start + 5_000]);
    state.now = start + 600_000;
    await alarm.arm(start + 700_000);
    expect(set).toEqual([start + 5_000, start + 5_000]);
  });

  it("after each run, the Ledger's alarm is set to the time of the next run", async () => {
    const { alarm, set } = openAlarm();
    await alarm.arm(start + 5_000);
    await alarm.ring({ maintain: async () => start + 80_000 });
    await alarm.ring({ maintain: async () => undefined });
    await alarm.arm(start + 90_000);
    expect(set).toEqual([start + 5_000, start + 80_000, start + 90_000]);
  });

  it("starting the Ledger's alarm fails if the alarm can't be set, so that the runtime tries again", async () => {
    const { alarm, state } = openAlarm();
    state.isBroken = true;
    await expect(alarm.start()).rejects.toThrow();
    await expect(alarm.ring({ maintain: () => Promise.reject(new Error("down")) })).rejects.toThrow(
      "the storage fails",
    );
  });
});
