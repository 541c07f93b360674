import type { Clock } from "#engine/writer.ts";
import type { LedgerRpc, SpilledClick } from "#ledger/rpc.ts";
import { type AnyCall, loadOperation } from "#operations/table.ts";
import { openDatabase } from "#store/database.ts";
import { readMovedPrograms } from "#store/places.ts";
import type { Database } from "../../scripts/database/migrate.ts";
import { memoryStorage } from "../../scripts/sample/node-ledger.ts";
import { type Move, type MovePlaces, StepRefused } from "../../scripts/shards/mover.ts";
import { ledgerOn } from "./own-ledger.ts";

/** Returns the element for the shard with this number. */
export const ofShard = <T>(list: readonly T[], shard: number): T => {
  const found = list[shard];
  if (found === undefined) throw new RangeError(`no shard has the number ${shard}`);
  return found;
};

/**
 * Starts a Ledger on each database. The Ledgers know one another as shards. `clockOf` returns the clock of each. All
 * calls come at `now`.
 */
export function startLedgers(databases: readonly Database[], now: number, clockOf: (shard: number) => Clock) {
  const connect = (shard: number) => openDatabase({ url: ofShard(databases, shard).url, authToken: undefined });
  const ledgers = databases.map((_, own) =>
    ledgerOn(connect(own), clockOf(own), memoryStorage(), true, {
      own,
      ledgerOf: (shard) => rpcOf(shard) as LedgerRpc,
      movedPrograms: () => readMovedPrograms(connect(0)),
    }),
  );
  const of = (shard: number) => ofShard(ledgers, shard);
  const run = async (shard: number, call: AnyCall) =>
    of(shard).submit(of(shard).taskOf(await loadOperation(call), call, now)).outcome;
  const rpcOf = (shard: number) => ({
    run: (call: AnyCall) => run(shard, call),
    takeClicks: async (clicks: readonly SpilledClick[]) => {
      const { spill, loop, alarm } = of(shard);
      for (const click of clicks) spill.keep(click, true);
      void alarm.ring(loop);
      return { ok: true };
    },
  });
  let steps = 0;
  /** `through` has the databases as the process that migrates programs sees them. */
  const placesOf = (through: readonly Database[] = databases): MovePlaces => ({
    databaseOf: (shard) => ofShard(through, shard),
    async step(step, { programId, moveId, from, to }: Move, frozenForMs) {
      steps += 1;
      const common = { operationId: `step ${steps}`, at: now, programId, moveId };
      const arrived = step === "leave" ? await run(to, { ...common, kind: "confirm-move" }) : undefined;
      const outcome =
        arrived?.ok === false
          ? arrived
          : await run(
              from,
              step === "leave"
                ? { ...common, kind: "leave-program", to }
                : step === "abandon"
                  ? { ...common, kind: "abandon-move" }
                  : { ...common, kind: "freeze-program", leaveBy: now + frozenForMs },
            );
      const { alarm, loop } = of(from);
      if (outcome.ok && (step === "leave" || step === "abandon")) await alarm.ring(loop);
      if (!outcome.ok && outcome.refusal.code === "move_refused") throw new StepRefused(step, outcome.refusal.reason);
      if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.refusal)}`);
    },
  });
  return { of, run, placesOf };
}
