import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

/** Returns the files in a folder and its subfolders, as sorted relative paths. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .toSorted();
}
