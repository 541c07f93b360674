import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { root } from "../root.ts";

/** `git archive` writes the commit into it: see .gitattributes. */
const archivedCommit = "scripts/commit.txt";

const sources = ["dashboard", "docs", "migrations", "runtime", "scripts", "sdk", "src", "tracker"];
const dependencies = ["package.json", "package-lock.json"];

/** The number and the commit: two builds of one number are told apart. */
export const releaseOf = (folder: string): string =>
  `${manifest.version}+${commitIn(folder) ?? archivedIn(folder) ?? `sha256.${digestOf(folder).slice(0, 12)}`}`;

function commitIn(folder: string): string | undefined {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...env } = process.env;
  try {
    // The service's user often doesn't own the clone.
    const args = ["-c", "safe.directory=*", "describe", "--always", "--dirty", "--exclude=*"];
    return execFileSync("git", args, {
      cwd: folder,
      // Not a repository that the folder happens to lie in.
      env: { ...env, GIT_CEILING_DIRECTORIES: dirname(folder) },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}

function archivedIn(folder: string): string | undefined {
  try {
    const text = readFileSync(join(folder, archivedCommit), "utf8").trim();
    return /^[0-9a-f]+$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Of all that a build reads, in hexadecimal. */
export function digestOf(folder: string): string {
  const hash = createHash("sha256");
  for (const path of [...dependencies, ...sources.flatMap((name) => filesIn(folder, name))]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(folder, path)))
      .update("\0");
  }
  return hash.digest("hex");
}

const ignored = new Set(["dist", "node_modules"]);

const filesIn = (folder: string, path: string): readonly string[] =>
  readdirSync(join(folder, path), { withFileTypes: true })
    .filter(({ name }) => !ignored.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(folder, `${path}/${entry.name}`) : [`${path}/${entry.name}`]));

export const release = releaseOf(root);
