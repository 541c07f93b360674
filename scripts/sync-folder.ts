import { open } from "node:fs/promises";

/** Returns once the names of a folder's files are on disk. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
