import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@libsql/client/http";
import { type Database, readMigrations } from "./migrate.ts";
import { root } from "./root.ts";
import { ServiceError } from "./service-error.ts";

/** The release that last ran on the data: `release.json` in the data folder. */
interface DataRelease {
  readonly version: string;
  /** The last one applied. */
  readonly migration: string;
}

const fileIn = (data: string): string => join(data, "release.json");

const namesOfMigrations = async (): Promise<string[]> => (await readMigrations()).map(({ name }) => name);

async function ownVersion(): Promise<string> {
  return (JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string }).version;
}

/** Throws where a later release has run on the data. Reads one file. */
export async function refuseLaterData(data: string): Promise<void> {
  const text = await readFile(fileIn(data), "utf8").catch(() => undefined);
  if (text === undefined) return;
  const { version, migration } = parsed(text, data);
  const known = await namesOfMigrations();
  if (!known.includes(migration)) throw await laterThanCode(`${data} is of release ${version}`, migration);
}

/** Throws where a later release has migrated the database, whatever the file says. Only reads. */
export async function refuseLaterDatabase({ url, authToken }: Database): Promise<void> {
  const client = createClient({ url, ...(authToken ? { authToken } : {}) });
  try {
    const { rows: tables } = await client.execute("select 1 from sqlite_schema where name = 'schema_migrations'");
    if (tables.length === 0) return;
    const { rows } = await client.execute("select name from schema_migrations order by name");
    const known = await namesOfMigrations();
    const later = rows.map(({ name }) => String(name)).find((name) => !known.includes(name));
    if (later !== undefined) throw await laterThanCode("The database is of a later release", later);
  } finally {
    client.close();
  }
}

export async function markRelease(data: string): Promise<void> {
  const migration = (await namesOfMigrations()).at(-1);
  const release = { version: await ownVersion(), migration };
  const next = `${fileIn(data)}.new`;
  await writeFile(next, `${JSON.stringify(release)}\n`, { flush: true });
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

const laterThanCode = async (fact: string, migration: string): Promise<ServiceError> =>
  new ServiceError(
    `${fact}: release ${await ownVersion()}, which you started, doesn't know the migration ${migration}. Start the later release, or restore a backup from before it. Nothing was changed.`,
  );
