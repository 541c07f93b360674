import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { databaseFile } from "./backup/data-paths.ts";
import { readState } from "./backup/snapshot.ts";
import { migrationNames } from "./migrate.ts";
import { release } from "./release.ts";
import { ServiceError } from "./service-error.ts";

/** `release.json` in the data folder: the release that last ran on the data. */
interface DataRelease {
  readonly version: string;
  readonly migration: string;
}

const fileIn = (data: string): string => join(data, "release.json");

/** Throws if a later release has run on the data. Reads one file. */
export async function refuseLaterData(data: string): Promise<void> {
  const text = await readFile(fileIn(data), "utf8").catch(() => undefined);
  if (text === undefined) return;
  const { version, migration } = parsed(text, data);
  const known = await migrationNames();
  if (!known.includes(migration)) throw laterThanCode(`${data} is of release ${version}`, migration);
}

/** Throws if a later release has migrated the database. Only reads. */
export async function refuseLaterDatabase(data: string): Promise<void> {
  const file = join(data, databaseFile);
  if (!existsSync(file)) return;
  const known = await migrationNames();
  const later = readState(file).migrations.find((name) => !known.includes(name));
  if (later !== undefined) throw laterThanCode("The database is of a later release", later);
}

export async function markRelease(data: string): Promise<void> {
  const migration = (await migrationNames()).at(-1);
  const next = `${fileIn(data)}.new`;
  await writeFile(next, `${JSON.stringify({ version: release, migration })}\n`, { flush: true });
  await rename(next, fileIn(data));
}

function parsed(text: string, data: string): DataRelease {
  const { version, migration } = valueIn(text) ?? {};
  if (typeof version === "string" && typeof migration === "string") return { version, migration };
  throw new ServiceError(`${fileIn(data)} is damaged. Remove it: the next start writes it anew.`);
}

function valueIn(text: string): Partial<DataRelease> | null {
  try {
    return JSON.parse(text) as Partial<DataRelease> | null;
  } catch {
    return null;
  }
}

const laterThanCode = (fact: string, migration: string): ServiceError =>
  new ServiceError(
    `${fact}: release ${release}, which you started, doesn't know the migration ${migration}. Start the later release, or restore a backup from before it. Nothing was changed.`,
  );
