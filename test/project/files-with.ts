import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expectUnmistakable } from "../support/unique-word.ts";

/** The files of a folder that have one of these texts anywhere, also as UTF-16. */
export async function filesWith(folder: string, ...texts: readonly string[]): Promise<readonly string[]> {
  expectUnmistakable(texts);
  const wanted = texts.flatMap((text) => [Buffer.from(text, "utf8"), Buffer.from(text, "utf16le")]);
  const found: string[] = [];
  for (const name of (await readdir(folder, { recursive: true })).toSorted()) {
    const file = join(folder, name);
    if (!(await stat(file)).isFile()) continue;
    const bytes = await readFile(file);
    if (wanted.some((text) => bytes.includes(text))) found.push(name);
  }
  return found;
}
