import { dayMs } from "./calendar.ts";
import { countDays } from "./performance.ts";

export const paceDays = 28;

/** The number of days on which a program had clicks, in the four weeks up to its latest click. */
export interface ClickPace {
  readonly activeDays: number;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
}

/** The alarm is triggered by a pause so long that only one pause in this many is as long by chance. */
const pausesPerFalseAlarm = 100;

/**
 * True if there has been no click for at least a day, and for longer than is likely given the days without clicks
 * before.
 */
export function haveClicksStopped(lastClickAt: number | null, pace: ClickPace, at: number): boolean {
  const { activeDays, firstDay, lastDay } = pace;
  if (lastClickAt === null || firstDay === null || lastDay === null) return false;
  const share = activeDays / (countDays({ from: firstDay, to: lastDay }) + 1);
  const likelyDays = Math.log(pausesPerFalseAlarm) / -Math.log(1 - share);
  return at - lastClickAt > Math.max(1, likelyDays) * dayMs;
}
