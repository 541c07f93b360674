import { setTimeout as delay } from "node:timers/promises";
import { probeTimeoutMs } from "#engine/outage.ts";

/**
 * Pauses between retries take no time. A probe of the database gets its own, so that none goes on behind the next test
 * and claims the database from its Ledger.
 */
export const instantSleep = async (ms: number): Promise<void> => {
  if (ms === probeTimeoutMs) await delay(ms);
};
