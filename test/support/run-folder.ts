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

/** A killed run removes nothing, and would use up the memory of the next. */
async function removeLeftBehind(): Promise<void> {
  for (const name of await readdir(memory)) {
    const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      await rm(join(memory, name), { recursive: true, force: true });
  }
}

/**
 * A folder for the data of a run's services and databases: in memory where there is enough, since each commit on a disk
 * waits some milliseconds for it. A test that is about the disk uses a folder of its own.
 */
export async function newRunFolder(): Promise<string> {
  if (existsSync(memory)) await removeLeftBehind();
  return mkdtemp(join(hasRoom() ? memory : tmpdir(), `${prefix}${process.pid}-`));
}
