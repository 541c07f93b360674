import { copyFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { supersedeWriters } from "#store/supersede-writers.ts";
import { startDatabase, type TestDatabase } from "../../../harness/database.ts";
import { databaseAt, openDatabaseClient } from "../../../harness/database-client.ts";
import { auditLedger } from "../../../scripts/audit/ledger.ts";
import { fileConnection } from "../../../scripts/database/file-database.ts";
import { instantSleep } from "../../support/instant-sleep.ts";
import { ownLedger } from "../../support/own-ledger.ts";
import { daysAgo } from "../../support/program-fixture.ts";
import type { History } from "./commands.ts";

const daysAtFirst = 380;
const daysLeft = 60;
/**
 * Each restore skips so many ids that a shard's ids above the random ids of programs suffice for about fifteen
 * restores.
 */
const mostRestores = 8;

/**
 * Only the histories move the service's clock. It begins a year ago and stays in the past, because the audit compares
 * with the real time.
 */
function openService(firstUrl: string) {
  let url = firstUrl;
  let now = daysAgo(daysAtFirst);
  const start = () => ownLedger(url, { now: () => now, sleep: instantSleep, random: () => 0.5 });
  let ledger = start();
  const faults: unknown[] = [];
  let restoredAt: number | null = null;
  let restores = 0;
  const copy = fileURLToPath(`${firstUrl}.backup`);
  const execute = (sql: string, ...args: (string | number)[]) => openDatabaseClient(url).execute({ sql, args });
  const histories = new Map<number, History>();
  const audit = (programId: readonly number[]) => auditLedger(openDatabaseClient(url), { programId });
  return {
    url: () => url,
    ledger: () => ledger,
    rows: async (sql: string, ...args: (string | number)[]) => (await execute(sql, ...args)).rows,
    takeFaults: () => [...faults.splice(0), ...ledger.faults.splice(0)],
    histories,
    backUp: async () => {
      fileConnection(url)?.run({ sql: "pragma wal_checkpoint(truncate)", args: [] });
      await copyFile(fileURLToPath(url), copy);
    },
    restoredAt: () => restoredAt,
    restore: async () => {
      restores += 1;
      url = `${firstUrl}.${restores}`;
      await copyFile(copy, fileURLToPath(url));
      await supersedeWriters(databaseAt(url));
      restoredAt = now;
      // Replaces the time of the restore: `supersedeWriters` has written the real time.
      await execute("update ledger_writers set restored_at = ?, epoch = epoch + 1", restoredAt);
      faults.push(...ledger.faults);
      ledger = start();
    },
    /**
     * Audits all programs together, because preparing the statements takes most of the time. Only if there is a
     * finding, audits each program alone.
     */
    audit: async () => {
      const broken: unknown[] = [];
      if ((await audit([...histories.keys()])).length === 0) return broken;
      for (const [programId, given] of histories) {
        const found = await audit([programId]);
        if (found.length > 0) broken.push({ found, history: JSON.stringify(given) });
      }
      return broken;
    },
    now: () => now,
    isOver: () => now > daysAgo(daysLeft) || restores >= mostRestores,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

export type Service = ReturnType<typeof openService>;

/**
 * `next` returns the service for the next history. It starts a new one once the clock or the number of restores is at
 * its limit.
 */
export function services() {
  let running: { readonly database: TestDatabase; readonly service: Service } | undefined;
  const broken: unknown[] = [];
  const close = async () => {
    const closed = running;
    running = undefined;
    if (closed === undefined) return;
    broken.push(...(await closed.service.audit()));
    await closed.database.dispose();
  };
  const next = async (): Promise<Service> => {
    if (running?.service.isOver()) await close();
    if (running === undefined) {
      const database = await startDatabase(undefined, "file");
      running = { database, service: openService(database.url) };
    }
    return running.service;
  };
  return { next, close, broken };
}
