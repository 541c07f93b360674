import { mkdirSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { backup as copyPages, DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { SqlConnection } from "../runtime/node/sql-connection.ts";
import { databaseFile } from "../scripts/backup/data-paths.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { dataFolder } from "./data-folder.ts";
import { chosenRuntime, type Runtime } from "./runtimes.ts";
import { type Sqld, startSqld } from "./sqld.ts";

interface Copies {
  /** Returns the folder of a copy. Another server can start from it too. */
  backup(): Promise<string>;
  restore(copy: string): Promise<void>;
}

export interface TestDatabase extends Sqld, Copies {
  dispose(): Promise<void>;
}

const data = (folder: string) => join(folder, "sqld");

/** The folder of a migrated database. It is copied, so that other databases needn't run the migrations. */
const { DATABASE_TEMPLATE: template } = process.env;

/** A database file has no server, so there is nothing to start or kill. */
function fileServer(directory: string): Sqld {
  const file = join(directory, databaseFile);
  mkdirSync(dirname(file), { recursive: true });
  const database = new SqlConnection(file);
  const checkpoint = async () => void database.run({ sql: "pragma wal_checkpoint(truncate)", args: [] });
  const unsupported = () => {
    throw new Error("a database file has no process");
  };
  return {
    url: pathToFileURL(file).href,
    authToken: undefined,
    adminUrl: "",
    adminAuthorization: "",
    logFile: "",
    pid: process.pid,
    isRunning: true,
    ended: new Promise(() => {}),
    stop: checkpoint,
    start: unsupported,
    kill: unsupported,
    pause: unsupported,
    resume: unsupported,
  };
}

export type DatabaseEngine = "sqld" | "file";

/** The database engine that services with this runtime use. */
export const engineOf = (runtime: Runtime): DatabaseEngine => (runtime === "node" ? "file" : "sqld");

/** Copies all pages of a backup in one step. */
const pagesAtOnce = 2 ** 31 - 1;

/**
 * Copies a database page by page within a transaction, so that a service that has `to` open continues with the new
 * content.
 */
async function copyFile(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from);
  try {
    await copyPages(source, to, { rate: pagesAtOnce });
  } finally {
    source.close();
  }
}

const startServer = async (directory: string, engine: DatabaseEngine): Promise<Sqld> =>
  engine === "file" ? fileServer(directory) : startSqld({ directory });

const newCopy = (directory: string) => mkdtemp(join(directory, "backup-"));

function copiesOfServer(directory: string, sqld: Sqld): Copies {
  const whileStopped = async (work: () => Promise<void>) => {
    await sqld.kill();
    await work();
    await sqld.start();
  };
  return {
    backup: async () => {
      const copy = await newCopy(directory);
      await whileStopped(() => cp(data(directory), data(copy), { recursive: true }));
      return copy;
    },
    restore: (copy) =>
      whileStopped(async () => {
        await rm(data(directory), { recursive: true });
        await cp(data(copy), data(directory), { recursive: true });
      }),
  };
}

/** Copies of a database file. They can be made while a service has the file open. */
function copiesOfFile(directory: string): Copies {
  const file = join(directory, databaseFile);
  return {
    backup: async () => {
      const copy = await newCopy(directory);
      await mkdir(dirname(join(copy, databaseFile)), { recursive: true });
      await copyFile(file, join(copy, databaseFile));
      return copy;
    },
    restore: (copy) => copyFile(join(copy, databaseFile), file),
  };
}

/** Starts a database. `within` is the parent of its folder. The default of `engine` depends on TEST_RUNTIME. */
export async function startDatabase(
  within = dataFolder(),
  engine = engineOf(chosenRuntime(process.env)),
): Promise<TestDatabase> {
  const directory = await mkdtemp(join(within, "tributary-sqld-"));
  const remove = () => rm(directory, { recursive: true, force: true });
  if (template !== undefined) await cp(data(template), data(directory), { recursive: true });
  const sqld = await startServer(directory, engine).catch(async (error) => {
    await remove();
    throw error;
  });
  const dispose = async () => {
    await (engine === "file" ? sqld.stop() : sqld.kill());
    await remove();
  };
  const copies = engine === "file" ? copiesOfFile(directory) : copiesOfServer(directory, sqld);
  try {
    if (template === undefined) await migrate({ url: sqld.url });
  } catch (error) {
    await dispose();
    throw error;
  }
  return Object.assign(sqld, { ...copies, dispose });
}
