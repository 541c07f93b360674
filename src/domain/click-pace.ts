import { dayMs } from "./calendar.ts";
import { countDays } from "./performance.ts";

export const paceDays = 28;

/** The days with clicks in the four weeks that end with the program's latest one. */
export interface ClickPace {
  readonly activeDays: number;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
}

/** One in this many pauses of the length is a false alarm. */
const pausesPerFalseAlarm = 100;

/** Clicks have paused for longer than the previous days without clicks make likely, and for at least a day. */
export function haveClicksStopped(lastClickAt: number | null, pace: ClickPace, at: number): boolean {
  const { activeDays, firstDay, lastDay } = pace;
  if (lastClickAt === null || firstDay === null || lastDay === null) return false;
  const share = activeDays / (countDays({ from: firstDay, to: lastDay }) + 1);
  const likelyDays = Math.log(pausesPerFalseAlarm) / -Math.log(1 - share);
  return at - lastClickAt > Math.max(1, likelyDays) * dayMs;
}
