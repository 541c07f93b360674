import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type Clock, Superseded } from "#engine/writer.ts";
import { FencedWriter } from "#ledger/fenced-writer.ts";
import { auditOfOperation } from "#store/audit.ts";
import { type DatabaseConfig, IdleStreams, readBatch, type Database as Store } from "#store/database.ts";
import { readDueCommissions } from "#store/due-commissions.ts";
import { readLastAssigned } from "#store/fenced-row.ts";
import { openStore } from "../database/client.ts";
import { composeSample } from "./compose.ts";
import { operationOf } from "./operation.ts";
import type { SampleProgramSettings } from "./program.ts";

const timeoutMs = 60_000;
const maxAttempts = 5;
const pauseMs = 2_000;

const clock: Clock = { now: () => Date.now(), sleep: (ms) => delay(ms), random: () => Math.random() };

/**
 * Creates the sample program in one transaction, unless the database already has it, even archived. The service may be
 * running, because its Ledger claims the database again with its next call. Returns true if it created the program. If
 * calls keep arriving, it creates nothing, and the next start tries again.
 */
export async function seedSample(config: DatabaseConfig, settings: SampleProgramSettings): Promise<boolean> {
  const store = openStore(config, { timeoutMs, idleStreams: new IdleStreams() });
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    if (await hasSample(store)) return false;
    if (await trySeed(store, settings)) return true;
    await delay(attempt * pauseMs);
  }
  return false;
}

async function hasSample(store: Store): Promise<boolean> {
  const { created } = await readBatch(store, { created: auditOfOperation({ operationId: operationOf("creation") }) });
  return created !== undefined;
}

/** Tries once. If the Ledger has written anything since the sample was begun, it writes nothing and returns false. */
async function trySeed(store: Store, settings: SampleProgramSettings): Promise<boolean> {
  const after = await readLastAssigned(store);
  const { writes, numbers } = await composeSample(settings, clock.now(), after);
  // Commissions of other programs must not be due, because the sample's batch would approve them on the wrong day.
  const isFree = async () =>
    isDeepStrictEqual(await readLastAssigned(store), after) &&
    (await readDueCommissions(store, clock.now())).commissions === 0;
  if (!(await isFree())) return false;

  // Retries for longer than usual, because writing the sample's batch alone takes seconds.
  const writer = new FencedWriter(store, clock, { retryForMs: 8_000 });
  try {
    await writer.claim();
    if (!(await isFree())) return false;
    // The batch stores the last number, from which the Ledger continues.
    writer.newId("ledgerEntries", numbers);
    await writer.write(writes);
    return true;
  } catch (error) {
    if (error instanceof Superseded) return false;
    throw error;
  }
}
