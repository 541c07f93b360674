import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { databaseFilesIn } from "../backup/database-files.ts";
import { readApplied } from "../backup/snapshot.ts";
import { release } from "../build/release.ts";
import { ExplainedError } from "../command.ts";
import { findEdited, migrationNames, otherSchema } from "../database/migrate.ts";

/** `release.json` in the data folder contains the release that last ran on the data. */
interface DataRelease {
  readonly version: string;
  readonly migration: string;
}

const fileIn = (data: string): string => join(data, "release.json");

/**
 * Returns the reason why this release can't use the data: a later release has used it, or its database has another
 * schema. Only reads.
 */
export async function dataFault(data: string): Promise<ExplainedError | undefined> {
  const files = databaseFilesIn(data).map(({ path }) => join(data, path));
  const applied = files.filter((file) => existsSync(file)).flatMap(readApplied);
  const edited = await findEdited(applied);
  if (edited !== undefined) {
    const fact = otherSchema(`in ${data}`, edited, `${release}, which you started`);
    return new ExplainedError(`${fact} Start the version that wrote it. ${startOver(data)}`);
  }
  const known = migrationNames();
  const text = await readFile(fileIn(data), "utf8").catch(() => undefined);
  const last = text === undefined ? undefined : parsed(text);
  if (last === null)
    return new ExplainedError(`${fileIn(data)} is damaged. Remove it: the next start writes it again.`);
  if (last !== undefined && !known.includes(last.migration)) {
    return laterThanCode(`${data} is of release ${last.version}`, last.migration, data);
  }
  const later = applied.find(({ name }) => !known.includes(name));
  return later && laterThanCode(`The database in ${data} is of a later release`, later.name, data);
}

export async function markRelease(data: string): Promise<void> {
  const migration = migrationNames().at(-1);
  const next = `${fileIn(data)}.new`;
  await writeFile(next, `${JSON.stringify({ version: release, migration })}\n`, { flush: true });
  await rename(next, fileIn(data));
}

function parsed(text: string): DataRelease | null {
  const { version, migration } = valueIn(text) ?? {};
  return typeof version === "string" && typeof migration === "string" ? { version, migration } : null;
}

function valueIn(text: string): Partial<DataRelease> | null {
  try {
    return JSON.parse(text) as Partial<DataRelease> | null;
  } catch {
    return null;
  }
}

const startOver = (data: string): string => `To start over, move ${data} away or remove it. Nothing was changed.`;

const laterThanCode = (fact: string, migration: string, data: string): ExplainedError =>
  new ExplainedError(
    `${fact}: release ${release}, which you started, doesn't know the migration ${migration}. Start the later release, or restore a backup from before it. ${startOver(data)}`,
  );
