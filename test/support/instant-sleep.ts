import { setTimeout as delay } from "node:timers/promises";
import { probeTimeoutMs } from "#engine/outage.ts";

/**
 * Skips the pauses between retries. Only a probe of the database waits: otherwise it could run on into the next test
 * and claim the database from that test's Ledger.
 */
export const instantSleep = async (ms: number): Promise<void> => {
  if (ms === probeTimeoutMs) await delay(ms);
};
