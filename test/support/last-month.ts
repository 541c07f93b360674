import { daysAgo } from "./program-fixture.ts";

const today = new Date(daysAgo(0));

/** Noon of the 15th of last month. */
export const lastMonth = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 15, 12);
/** The name of last month as a period, such as "2026-10". */
export const period = new Date(lastMonth).toISOString().slice(0, 7);
/** The name of this month as a period. */
export const thisMonth = today.toISOString().slice(0, 7);
