import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { ExplainedError } from "../command.ts";
import { migrationDigests, releasedBookFile, releasedMigrationsFile } from "./released-migrations.ts";

export interface Releasing {
  /** The folder of the repository. */
  readonly folder: string;
  readonly version: string;
  /** The day of the release, as YYYY-MM-DD. */
  readonly day: string;
  /** Released versions of the SDK. */
  readonly sdkVersions: readonly string[];
  /** The file of a database that the tests of later versions upgrade. */
  readonly book: Uint8Array;
  /** Throws if a test fails for this commit. */
  readonly check: () => void;
}

/**
 * Writes the version into the files, and commits and tags it. If something prevents the release, nothing is changed.
 */
export function releaseService({ folder, version, day, sdkVersions, book, check }: Releasing): void {
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
  const read = (path: string) => readFileSync(join(folder, path), "utf8");
  refuseUnless(/^\d+\.\d+\.\d+$/.test(version), `${version} is no version, such as 0.2.0`);
  refuseUnless(git("status", "--porcelain") === "", "The working tree has changes: commit them first");
  refuseUnless(git("branch", "--show-current") === "main", "Releases are made of main");
  const newest = git("tag", "--list", "v*", "--sort=-version:refname").split("\n")[0]?.slice(1) ?? "";
  refuseUnless(newest === "" || isLater(version, newest), `${newest} is released: the next version is a later one`);
  const sdk = (JSON.parse(read("sdk/package.json")) as { version: string }).version;
  refuseUnless(sdkVersions.includes(sdk), `tributary-sdk ${sdk} isn't released yet: npm run release:sdk`);
  const files = {
    "CHANGELOG.md": releasedChangelog(read("CHANGELOG.md"), version, day),
    "README.md": read("README.md").replace(/(The last release is )[\d.]+\d/, `$1${version}`),
    "package.json": withVersion(read("package.json"), version),
    "package-lock.json": withVersion(read("package-lock.json"), version, 2),
    ".github/ISSUE_TEMPLATE/bug.yml": read(".github/ISSUE_TEMPLATE/bug.yml").replace(
      /(placeholder: service )[\w.]+/,
      `$1${version}`,
    ),
    [releasedBookFile]: brotliCompressSync(book),
    [releasedMigrationsFile]: `${JSON.stringify(migrationDigests(folder), null, 2)}\n`,
  };
  check();
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  git("add", ...Object.keys(files));
  git("commit", "--quiet", "--message", `Release ${version}`);
  git("tag", "--annotate", `v${version}`, "--message", `Tributary ${version}`);
}

function refuseUnless(holds: boolean, message: string): asserts holds {
  if (!holds) throw new ExplainedError(message);
}

const isLater = (version: string, than: string): boolean => version.localeCompare(than, "en", { numeric: true }) > 0;

/** Turns the changelog's unreleased section into the version's section. */
function releasedChangelog(text: string, version: string, day: string): string {
  const heading = "## Unreleased\n";
  const [before = "", after] = text.split(heading);
  refuseUnless(
    after !== undefined && /^[^#\s]/m.test(after.split(/^## /m)[0] ?? ""),
    "CHANGELOG.md has nothing unreleased",
  );
  return `${before}${heading}\n## ${version} (${day})\n${after}`;
}

/** Replaces the version in a file. The first `times` occurrences are the service's own version. */
function withVersion(text: string, version: string, times = 1): string {
  let left = times;
  return text.replaceAll(/"version": "[^"]*"/g, (found) => {
    left -= 1;
    return left < 0 ? found : `"version": "${version}"`;
  });
}
