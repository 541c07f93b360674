import { existsSync, statfsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
const neededBytes = 4 * 2 ** 30;
const prefix = "tributary-run-";

function hasRoom(): boolean {
  if (!existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  return Math.min(bavail * bsize, freemem()) >= neededBytes;
}

/** Removes the folders of killed runs, which would otherwise keep using memory. */
async function removeLeftBehind(): Promise<void> {
  for (const name of await readdir(memory)) {
    const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      await rm(join(memory, name), { recursive: true, force: true });
  }
}

/**
 * Creates the folder for the data of a run's services and databases. It is in memory if enough is free, because each
 * commit on a disk takes some milliseconds. Tests of the disk use their own folder.
 */
export async function newRunFolder(): Promise<string> {
  if (existsSync(memory)) await removeLeftBehind();
  return mkdtemp(join(hasRoom() ? memory : tmpdir(), `${prefix}${process.pid}-`));
}
