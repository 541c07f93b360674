import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ExplainedError } from "../command.ts";
import { syncFolder } from "../service/secrets-file.ts";
import { objectsFolder } from "./data-paths.ts";
import { databaseFilesIn } from "./database-files.ts";
import { removeServerLog } from "./server-log.ts";

export interface Compacted {
  /** The file's path within the data folder. */
  readonly path: string;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Rewrites every database of a data folder, so that its files contain only current rows. No service may run. If the run
 * is killed, the data is unchanged and the run can be repeated.
 */
export async function compactData(data: string): Promise<readonly Compacted[]> {
  const compacted: Compacted[] = [];
  for (const { path } of databaseFilesIn(data)) {
    compacted.push(await measured(data, dirname(path), () => withoutLog(join(data, path))));
  }
  for (const path of await objectFiles(data)) {
    compacted.push(await measured(data, path, async () => rewrite(join(data, path))));
  }
  return compacted;
}

export async function objectFiles(data: string): Promise<string[]> {
  const found = await readdir(join(data, objectsFolder), { recursive: true }).catch(() => []);
  return found
    .filter((path) => path.endsWith(".sqlite"))
    .map((path) => `${objectsFolder}/${path}`)
    .sort();
}

async function measured(data: string, path: string, work: () => Promise<void>): Promise<Compacted> {
  const size = () => bytesOf(join(data, path));
  const bytesBefore = await size();
  await work();
  return { path, bytesBefore, bytesAfter: await size() };
}

async function withoutLog(file: string): Promise<void> {
  await removeServerLog(file);
  rewrite(file);
  await syncFolder(dirname(file));
}

function rewrite(file: string): void {
  const database = new DatabaseSync(file);
  try {
    // Without this setting, a page may keep its previous content.
    database.exec("pragma secure_delete = on");
    database.exec("vacuum");
    const { busy } = database.prepare("pragma wal_checkpoint(truncate)").get() ?? {};
    if (Number(busy) !== 0) throw new ExplainedError(`Another process uses ${file}. End it first.`);
  } finally {
    database.close();
  }
}

/** The size of a folder with everything in it, or of a database with its write-ahead log. */
async function bytesOf(path: string): Promise<number> {
  const found = await stat(path);
  const inside = found.isDirectory()
    ? (await readdir(path, { recursive: true })).map((name) => join(path, name))
    : [path, `${path}-wal`].filter((file) => existsSync(file));
  const sizes = await Promise.all(inside.map((file) => stat(file)));
  return sizes.reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
}
