import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "../service/secrets-file.ts";

const isOfDatabase = (name: string): boolean => ["data", "data-wal", "data-shm"].includes(name);

/**
 * Removes what the libSQL server of release 0.1.0 kept beside the database at `file`: its log of changed pages, with rows that were
 * erased since. That server would make a new one of the database. Nothing is removed that has rows of its own.
 */
export async function removeServerLog(file: string): Promise<void> {
  const folder = dirname(file);
  const others = (await readdir(folder)).filter((name) => !isOfDatabase(name));
  if (others.length === 0) return;
  for (const name of others) await rm(join(folder, name), { recursive: true });
  await syncFolder(folder);
}
