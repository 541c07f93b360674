import { daysAgo } from "./program-fixture.ts";

/** Noon of the 15th of last month. */
export let lastMonth: number;
/** The name of last month as a period, such as "2026-10". */
export let period: string;
/** The name of this month as a period. */
export let thisMonth: string;

/** Sets the values again for each test file, because a month may begin between two files that share a process. */
export function beginFileInMonth(): void {
  const today = new Date(daysAgo(0));
  lastMonth = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 15, 12);
  period = new Date(lastMonth).toISOString().slice(0, 7);
  thisMonth = today.toISOString().slice(0, 7);
}
