import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "../service/secrets-file.ts";

const isOfDatabase = (name: string): boolean => ["data", "data-wal", "data-shm"].includes(name);

/**
 * Removes the files of the libSQL server of release 0.1.0 next to the database at `file`. They are the server's log of
 * changed pages, which may contain erased rows. The server can create the log again from the database. Files that
 * contain rows of their own stay.
 */
export async function removeServerLog(file: string): Promise<void> {
  const folder = dirname(file);
  const others = (await readdir(folder)).filter((name) => !isOfDatabase(name));
  if (others.length === 0) return;
  for (const name of others) await rm(join(folder, name), { recursive: true });
  await syncFolder(folder);
}
