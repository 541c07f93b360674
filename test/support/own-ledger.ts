import type { Clock } from "#engine/writer.ts";
import type { Neighbors } from "#ledger/hand-overs.ts";
import type { TaskMaker } from "#ledger/task.ts";
import * as changes from "#operations/changes.ts";
import type { AnyCall, OperationOf } from "#operations/table.ts";
import type { Database } from "#store/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { testClickKeys, testSecrets } from "../../harness/service.ts";
import { memoryStorage, nodeLedger } from "../../scripts/sample/node-ledger.ts";

/**
 * Creates the Ledger on a real database, without a runtime, so that many calls can share a round (one batched commit).
 * With the storage of an earlier Ledger, it behaves like that Ledger after a restart.
 */
export function ownLedger(databaseUrl: string, clock: Clock, storage = memoryStorage(), isClockSimulated = true) {
  return ledgerOn(databaseAt(databaseUrl), clock, storage, isClockSimulated);
}

export function ledgerOn(
  database: Database,
  clock: Clock,
  storage = memoryStorage(),
  isClockSimulated = true,
  neighbors?: Neighbors,
) {
  const alarms: number[] = [];
  const ledger = nodeLedger({
    database,
    clock,
    storage,
    isClockSimulated,
    clickKeys: testClickKeys,
    hashSecret: testSecrets.HASH_SECRET,
    onAlarm: (at) => void alarms.push(at),
    ...(neighbors && { neighbors }),
  });
  return { ...ledger, alarms, changeTask: changeTaskMaker(ledger.taskOf) };
}

type AnyChange = (typeof changes)[keyof typeof changes];
export type ChangeKind = AnyChange["kind"];
export type ChangeCall = Extract<AnyCall, { readonly kind: ChangeKind }>;

const changeTaskMaker =
  (taskOf: TaskMaker) =>
  <Call extends ChangeCall>(call: Call, arrivedAt: number) => {
    const isOfCall = (each: AnyChange): each is AnyChange & OperationOf<Call> => each.kind === call.kind;
    const change = Object.values<AnyChange>(changes).find(isOfCall);
    if (change === undefined) throw new RangeError(`no change is of the kind ${call.kind}`);
    return taskOf(change, call, arrivedAt);
  };
