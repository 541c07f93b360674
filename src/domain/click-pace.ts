import { dayMs } from "./calendar.ts";
import { countDays } from "./performance.ts";

export const paceDays = 28;

/** The number of days on which a program had clicks, in the four weeks up to its latest click. */
export interface ClickPace {
  readonly activeDays: number;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
}

/** Only one pause in this many is long enough by chance to trigger the alarm. */
const pausesPerFalseAlarm = 100;

/**
 * True if there has been no click for at least a day, and for longer than is likely, judging by how often earlier days
 * had no clicks.
 */
export function haveClicksStopped(lastClickAt: number | null, pace: ClickPace, at: number): boolean {
  const { activeDays, firstDay, lastDay } = pace;
  if (lastClickAt === null || firstDay === null || lastDay === null) return false;
  const share = activeDays / (countDays({ from: firstDay, to: lastDay }) + 1);
  const likelyDays = Math.log(pausesPerFalseAlarm) / -Math.log(1 - share);
  return at - lastClickAt > Math.max(1, likelyDays) * dayMs;
}
