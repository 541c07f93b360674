import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { root } from "../root.ts";
import { digestOf } from "./digest.ts";

/** `git archive` writes the commit into it: see .gitattributes. */
const archivedCommit = "scripts/commit.txt";

/** All that a build reads, but what is installed. */
export const sources: readonly string[] = [
  "dashboard",
  "docs",
  "importer",
  "migrations",
  "runtime",
  "scripts",
  "sdk",
  "src",
  "tracker",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
];

/** The number and the commit, which distinguish two builds of one number. */
export const releaseOf = (folder: string): string =>
  `${manifest.version}+${commitIn(folder) ?? archivedIn(folder) ?? `sha256.${digestOf(folder, sources).slice(0, 12)}`}`;

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
    return /^(?:sha256\.)?[0-9a-f]+(?:-dirty)?$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

export const release = releaseOf(root);
