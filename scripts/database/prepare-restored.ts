import { decimalText, noUnits, unitText } from "#domain/units.ts";
import { type ListedRestore, listRestored } from "#store/restores.ts";
import { supersedeWriters } from "#store/supersede-writers.ts";
import { openStore } from "./client.ts";
import { type Databases, forEachShard } from "./databases.ts";
import { type Database, migrate } from "./migrate.ts";
import { suffixOf } from "./migrate-all.ts";

export interface Prepared {
  /** The names of the migrations that the backup lacked. */
  readonly applied: readonly string[];
  readonly programs: readonly ListedRestore[];
}

/** Prepares all databases of a service after a restore, as `prepareRestored` does for one. */
export async function prepareAllRestored(databases: Databases, backupAt?: number): Promise<Prepared> {
  const prepared = await forEachShard(databases, async (database) => ({
    ...database,
    ...(await prepareRestored(database, backupAt)),
  }));
  return {
    applied: prepared.flatMap(({ shard, applied }) => applied.map((name) => `${name}${suffixOf(databases, shard)}`)),
    programs: prepared.flatMap(({ programs }) => programs),
  };
}

/** Prepares a restored database. `backupAt` is the time of the backup in milliseconds, if it is known. */
async function prepareRestored({ url, authToken }: Database, backupAt?: number): Promise<Prepared> {
  const applied = await migrate({ url, authToken });
  const database = openStore({ url, authToken });
  await supersedeWriters(database, backupAt);
  const read = listRestored({});
  const [rows = []] = await database.read([read]);
  return { applied, programs: read.decode(rows) };
}

/** Describes the lost payouts. An owner must then enter what was paid since the backup. */
export function lostPayouts(programs: readonly ListedRestore[]): readonly string[] {
  const [first] = programs;
  if (first === undefined) return [];
  const since = first.backupAt === null ? "the backup" : new Date(first.backupAt).toISOString();
  return [
    `Everything since ${since} is missing, payments to partners too. The last payout that the backup has:`,
    ...programs.map(
      (program) => `  program ${program.programId} (${JSON.stringify(program.programName)}): ${lastPayout(program)}`,
    ),
    "Enter later payouts again before you pay anyone: /docs/guides/durability/#payouts-after-a-restore of the service.",
  ];
}

function lastPayout({ reference, currency, totalCents, paidAt, unit }: ListedRestore): string {
  if (reference === null || currency === null || totalCents === null) return "none";
  const state = paidAt === null ? "not marked as paid" : `paid ${new Date(paidAt).toISOString().slice(0, 10)}`;
  const amount =
    unit === null ? `${decimalText(totalCents, currency, noUnits)} ${currency}` : unitText(totalCents, unit, "en");
  return `${JSON.stringify(reference)}, ${amount}, ${state}`;
}
