import { setTimeout as delay } from "node:timers/promises";
import { probeTimeoutMs } from "#engine/outage.ts";

/**
 * Pauses between retries take no time. Only a probe of the database pauses, so that none continues during the next
 * test and claims the database from its Ledger.
 */
export const instantSleep = async (ms: number): Promise<void> => {
  if (ms === probeTimeoutMs) await delay(ms);
};
