import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { compactData } from "../backup/compact.ts";
import { databaseFile, dataFolder } from "../backup/data-paths.ts";
import { databaseFilesIn } from "../backup/database-files.ts";
import { explained } from "../backup/error.ts";
import { withDatabases } from "../backup/restored-databases.ts";
import { ExplainedError, operatorCommand } from "../command.ts";
import { describeLeft, removeErasedLeft } from "../erasures/left-rows.ts";
import { lockData } from "../service/data-folder.ts";

export const help = `${operatorCommand} compact [--data <folder>]

Rewrites the database files of a stopped service on this machine, so that nothing is left in them of what was erased: freed pages,
the write-ahead log, and the server's log of changed pages. Removes the rows of programs that have moved to another shard and
erased somebody. Needs free space for a second copy of the largest database.

  --data <folder>  the data folder; default: TRIBUTARY_DATA, or .data`;

const inMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(args, { data: { type: "string" } }, 0);
  const data = dataFolder(values.data);
  if (!existsSync(join(data, databaseFile))) {
    throw new ExplainedError(`${data} is not the data folder of a service: it has no ${databaseFile}.`);
  }
  const { lock } = await lockData(data);
  try {
    for (const line of await compact(data)) console.log(line);
  } catch (error) {
    throw explained(error, `${data} can't be compacted. Run again`, data);
  } finally {
    lock.close();
  }
  const kept = await readdir(join(data, "backups")).catch(() => []);
  if (kept.length > 0) {
    console.log(
      `These backups still have what they had. Delete them once you don't need them, in ${join(data, "backups")}:`,
    );
    for (const name of kept.toSorted()) console.log(`  ${name}`);
  }
  return exit.good;
}

async function compact(data: string): Promise<readonly string[]> {
  const hasShards = databaseFilesIn(data).length > 1;
  const removed = hasShards ? await withDatabases(data, removeErasedLeft) : [];
  const compacted = await compactData(data);
  return [
    ...describeLeft(removed),
    ...compacted.map(
      ({ path, bytesBefore, bytesAfter }) =>
        `${path}: ${inMegabytes(bytesBefore)} before, ${inMegabytes(bytesAfter)} after`,
    ),
  ];
}
