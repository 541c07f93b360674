import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ignored = new Set(["dist", "node_modules"]);

/**
 * Returns the SHA-256 of files and of all files in folders, in hexadecimal. Unreadable files, such as dangling links,
 * count as absent.
 */
export function digestOf(folder: string, paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((each) => filesIn(folder, each))) {
    const content = unlessUnreadable(() => readFileSync(join(folder, path)));
    hash.update(`${path}\0${content?.length ?? "absent"}\0`);
    if (content !== undefined) hash.update(content);
  }
  return hash.digest("hex");
}

const filesIn = (folder: string, path: string): readonly string[] =>
  unlessUnreadable(() => readdirSync(join(folder, path), { withFileTypes: true }))
    ?.filter(({ name }) => !ignored.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesIn(folder, `${path}/${entry.name}`) : [`${path}/${entry.name}`],
    ) ?? [path];

const unreadable = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error && unreadable.has(String(error.code))) return undefined;
    throw error;
  }
}
