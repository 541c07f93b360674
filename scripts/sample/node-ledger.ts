import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { ClickKeyRing } from "#domain/click-id.ts";
import { minClickRetentionDays } from "#domain/retention.ts";
import { home } from "#domain/shard.ts";
import { Alarm } from "#engine/alarm.ts";
import { OutageLog } from "#engine/outage-log.ts";
import type { Task } from "#engine/task.ts";
import type { Clock } from "#engine/writer.ts";
import { FencedWriter } from "#ledger/fenced-writer.ts";
import type { Growth } from "#ledger/growth.ts";
import type { Neighbors } from "#ledger/hand-overs.ts";
import { openLoop } from "#ledger/open-loop.ts";
import type { SpillStorage } from "#ledger/spill.ts";
import type { Database } from "#store/database.ts";
import type { LastAssigned } from "#store/fenced-row.ts";

interface NodeLedgerOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clickKeys: ClickKeyRing;
  readonly hashSecret: string;
  /**
   * The storage of the Ledger. With the storage of an earlier Ledger, it behaves like that Ledger after a restart. By
   * default, the storage is empty.
   */
  readonly storage?: SpillStorage;
  /** The last ids and the last posting of another database, from which this Ledger continues. */
  readonly after?: LastAssigned;
  /** True if the clock is simulated. The default is true. */
  readonly isClockSimulated?: boolean;
  /** The other shards. By default, there are none. */
  readonly neighbors?: Neighbors;
  /** The number of days for which clicks are kept. The default is the minimum. */
  readonly clickRetentionDays?: number;
  readonly growth?: Growth;
  onAlarm?(at: number): void;
}

const noOther = (): never => {
  throw new Error("there is no other shard");
};

export type NodeLedger = ReturnType<typeof nodeLedger>;

/** Creates the Ledger on a real database, without the Workers runtime. */
export function nodeLedger(options: NodeLedgerOptions) {
  const { database, clock, clickKeys, hashSecret, after, storage = memoryStorage(), isClockSimulated = true } = options;
  const writer = new FencedWriter(database, clock, { isClockSimulated });
  const faults: unknown[] = [];
  const alarm = new Alarm({ setAlarm: async (at) => options.onAlarm?.(Number(at)) }, clock, () => {});
  const { loop, taskOf, spill, visitorKeys } = openLoop({
    writer,
    sql: storage,
    clock,
    alarm,
    clickKeys,
    hashSecret,
    newKey: () => randomUUID(),
    countUnsigned: () => true,
    clickRetentionDays: options.clickRetentionDays ?? minClickRetentionDays,
    newId: (table, count) => (after?.ids[table] ?? 0) + writer.newId(table, count),
    postingAt: () => Math.max(after?.postingAt ?? 0, writer.postingAt()),
    report: (event, error) => void faults.push(event, error),
    outages: new OutageLog({ onBegin: (error) => void faults.push("ledger.database_lost", error), onEnd: () => {} }),
    abort: () => {},
    growth: options.growth,
    neighbors: options.neighbors ?? { own: home, ledgerOf: noOther, movedPrograms: async () => [] },
  });
  const submit = <T extends Task>(task: T): T => {
    loop.submit(task);
    return task;
  };
  return { loop, taskOf, alarm, storage, spill, visitorKeys, writer, faults, submit };
}

export function memoryStorage(file = ":memory:"): SpillStorage {
  const db = new DatabaseSync(file);
  return {
    exec: <T extends Record<string, SqlStorageValue>>(query: string, ...bindings: (string | number | null)[]) => {
      const isScript = query.trim().includes(";\n");
      if (isScript) db.exec(query);
      const rows = isScript ? [] : db.prepare(query).all(...bindings);
      return { toArray: () => rows as T[] };
    },
  };
}
