import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expectUnmistakable } from "../support/unique-word.ts";

/** Returns the files of a folder that contain one of these texts anywhere, in UTF-8 or UTF-16. */
export async function filesWith(folder: string, ...texts: readonly string[]): Promise<readonly string[]> {
  expectUnmistakable(texts);
  const wanted = texts.flatMap((text) => [Buffer.from(text, "utf8"), Buffer.from(text, "utf16le")]);
  const found: string[] = [];
  for (const name of (await readdir(folder, { recursive: true })).toSorted()) {
    const file = join(folder, name);
    const bytes = await bytesOf(file);
    if (wanted.some((text) => bytes?.includes(text))) found.push(name);
  }
  return found;
}

/**
 * Returns undefined for a folder, and for a file that was removed since it was listed, such as the files next to a
 * database that was closed.
 */
async function bytesOf(file: string): Promise<Buffer | undefined> {
  try {
    return (await stat(file)).isFile() ? await readFile(file) : undefined;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
