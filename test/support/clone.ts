import { createHash } from "node:crypto";
import { cp, mkdir, readFile, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { root } from "../../scripts/root.ts";
import { filesIn } from "../../sdk/files.ts";

const sources = ["dashboard", "docs", "importer", "migrations", "runtime", "scripts", "sdk", "src", "tracker"];
const files = ["package.json", "package-lock.json", "tsconfig.json", "wrangler.toml"];

export async function cloneInto(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  for (const name of [...sources, ...files]) {
    const isSource = (path: string) => !/(^|[\\/])(node_modules|dist)([\\/]|$|\.)/.test(relative(root, path));
    await cp(join(root, name), join(directory, name), { recursive: true, filter: isSource });
  }
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
  return directory;
}

export async function contentsOf(directory: string): Promise<Map<string, Buffer>> {
  const paths = await filesIn(directory);
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(join(directory, path))] as const)));
}

export async function digestsOf(directory: string): Promise<Record<string, string>> {
  return Object.fromEntries([...(await contentsOf(directory))].map(([path, content]) => [path, digest(content)]));
}

export const digest = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
