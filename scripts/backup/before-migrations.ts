import { existsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { release } from "../build/release.ts";
import { ExplainedError } from "../command.ts";
import { migrationNames } from "../database/migrate.ts";
import { secretsFileOf } from "./data-paths.ts";
import { databaseFilesIn } from "./database-files.ts";
import { readState } from "./snapshot.ts";
import { partialMark } from "./whole-file.ts";
import { writeBackup } from "./write-backup.ts";

const kept = 3;

/**
 * Writes a backup into the data folder if the data lacks migrations of this release, so that the previous release can
 * be restored. Keeps the last three backups. No other process may write during the backup. Throws an `ExplainedError`
 * if space is lacking.
 */
export async function backUpBeforeMigrations(data: string, known?: readonly string[]): Promise<void> {
  const files = databaseFilesIn(data).map(({ path }) => join(data, path));
  const applied = files.map((file) => (existsSync(file) ? readState(file).migrations : []));
  const names = known ?? migrationNames();
  const isPending = applied.some((ones) => names.some((name) => !ones.includes(name)));
  if (applied[0]?.length === 0 || !isPending) return;
  const folder = join(data, "backups");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (name.includes(partialMark)) await rm(join(folder, name), { recursive: true });
  }
  const at = new Date().toISOString().replaceAll(":", "-");
  const file = join(folder, `${at}-before-${release}.tar`);
  await writeBackup({ data, file, secretsFile: secretsFileOf(data) }).catch((error: unknown) => {
    if (!(error instanceof ExplainedError)) throw error;
    throw new ExplainedError(`Nothing was migrated: the data could not be backed up before. ${error.message}`);
  });
  const backups = (await readdir(folder)).filter((name) => /^\d{4}-.*-before-.*\.tar$/.test(name)).sort();
  for (const name of backups.slice(0, -kept)) await rm(join(folder, name));
}
