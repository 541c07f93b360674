import { randomUUID } from "node:crypto";
import { testClickKeys, testSecrets } from "../../harness/service.ts";
import { Alarm } from "../../src/ledger/alarm.ts";
import { changeTasks } from "../../src/ledger/changes.ts";
import { type Clock, FencedWriter } from "../../src/ledger/fenced-writer.ts";
import { KeyUse } from "../../src/ledger/key-use.ts";
import { Loop } from "../../src/ledger/loop.ts";
import { SettingsCache, type SettingsMemory } from "../../src/ledger/settings-cache.ts";
import { Spill } from "../../src/ledger/spill.ts";
import { type Task, taskOf } from "../../src/ledger/task.ts";
import { VisitorKeys } from "../../src/ledger/visitor-keys.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";
import { memoryStorage } from "./memory-storage.ts";

export const noMemory: SettingsMemory = {
  remember: () => {},
  forget: () => {},
  linksOf: () => [],
  doubt: () => {},
  trust: () => {},
  forgetDoubted: () => [],
  forgetAll: () => {},
};

/**
 * The Ledger's loop on a real database, without a runtime, so that many calls can share a round. Given the storage of
 * an earlier one, it is that object after a restart.
 */
export function ownLedger(databaseUrl: string, clock: Clock, storage = memoryStorage()) {
  return ledgerOn(openDatabase({ url: databaseUrl, authToken: undefined }), clock, storage);
}

export function ledgerOn(database: Database, clock: Clock, storage = memoryStorage()) {
  const writer = new FencedWriter(database, clock);
  const spill = new Spill(storage);
  const faults: unknown[] = [];
  const report = (event: string, error: unknown) => void faults.push(event, error);
  const visitorKeys = new VisitorKeys({ sql: storage, clock, newKey: () => randomUUID(), onCreated: () => {}, report });
  const alarms: unknown[] = [];
  const loop = new Loop({
    writer,
    spill,
    visitorKeys,
    clock,
    alarm: new Alarm({ setAlarm: async (at) => void alarms.push(at) }, clock, () => {}),
    context: {
      settings: new SettingsCache(spill, report),
      keyUse: new KeyUse(report),
      clickKeys: testClickKeys,
      hashSecret: testSecrets.HASH_SECRET,
      visitorKey: (day) => visitorKeys.of(day),
      newId: (table) => writer.newId(table),
      postingAt: () => writer.postingAt(),
      report,
    },
    abort: () => {},
  });
  const submit = <T extends Task>(task: T): T => {
    loop.submit(task);
    return task;
  };
  return { loop, storage, spill, visitorKeys, writer, faults, alarms, submit, changeTasks, taskOf };
}
