import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { root } from "../root.ts";
import { digestOf } from "./digest.ts";

/** `git archive` writes the commit into this file, as .gitattributes specifies. */
const archivedCommit = "scripts/commit.txt";

/** Everything that a build reads, except installed packages. */
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

/** The version and the commit, which distinguish two builds of one version. */
export const releaseOf = (folder: string): string =>
  `${manifest.version}+${commitIn(folder) ?? archivedIn(folder) ?? `sha256.${digestOf(folder, sources).slice(0, 12)}`}`;

function commitIn(folder: string): string | undefined {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...env } = process.env;
  try {
    // Allows a clone that belongs to another user than the service's, as is common.
    const args = ["-c", "safe.directory=*", "describe", "--always", "--dirty", "--exclude=*"];
    return execFileSync("git", args, {
      cwd: folder,
      // Ignores a repository that contains the folder but isn't this project's.
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
