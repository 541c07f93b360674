import { setImmediate } from "node:timers/promises";
import type { LastAssigned } from "#store/fenced-row.ts";
import type { Statement } from "#store/statement.ts";
import { joiningRows } from "./joining.ts";
import { MemoryDatabase } from "./memory-database.ts";
import { nodeLedger } from "./node-ledger.ts";
import { planSample } from "./plan.ts";
import { SampleProgram, type SampleProgramSettings } from "./program.ts";

interface ComposedSample {
  /** Statements for another database. They fit only if it has assigned no id since `after` was read from it. */
  readonly writes: readonly Statement[];
  /** The number of ledger entries in the statements. */
  readonly numbers: number;
  /** Writes the database, which contains only the sample, to a new file. */
  save(file: string): void;
}

/**
 * Creates the sample in an in-memory database: the Ledger decides ninety days of calls until `now`, each at its own
 * instant. `after` contains the last ids that the database for the statements has assigned.
 */
export async function composeSample(
  settings: SampleProgramSettings,
  now: number,
  after?: LastAssigned,
): Promise<ComposedSample> {
  const database = await MemoryDatabase.open();
  database.addWorkspace(settings);
  let instant = 0;
  let alarmAt = Number.POSITIVE_INFINITY;
  const ledger = nodeLedger({
    ...settings,
    database,
    ...(after && { after }),
    clock: { now: () => instant, sleep: async () => {}, random: () => 0.5 },
    onAlarm: (at) => {
      alarmAt = at;
    },
  });
  const advanceTo = async (at: number) => {
    while (alarmAt <= at) {
      instant = Math.max(instant, alarmAt);
      alarmAt = Number.POSITIVE_INFINITY;
      await ledger.alarm.ring(ledger.loop);
      // The alarm returns before the round that writes due approvals, so this waits for it.
      await setImmediate();
    }
    instant = at;
  };

  const program = new SampleProgram(ledger, settings);
  for (const event of planSample(now)) {
    // New postings are never earlier than the database's newest one. So a payout before it would have nothing to pay.
    if (event.kind === "paid-out" && event.at < (after?.postingAt ?? 0)) continue;
    await advanceTo(event.at);
    await program.take(event);
    await setImmediate();
  }
  await program.sendClicks(instant);
  await database.write([...joiningRows(program.id, now), ...program.accountRows(now)]);
  await advanceTo(now);
  if (ledger.faults.length > 0) throw new Error("the Ledger reports a fault", { cause: ledger.faults[1] });
  return { writes: database.writes, numbers: database.lastNumber, save: (file) => database.save(file) };
}
