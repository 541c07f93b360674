import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { releaseOf } from "../../scripts/build/release.ts";
import { root } from "../../scripts/root.ts";

let folder: string;
let clone: string;

const run = async (command: string, ...args: string[]) =>
  (await promisify(execFile)(command, args, { cwd: clone })).stdout.trim();

async function addSources(to: string): Promise<void> {
  for (const name of ["dashboard", "docs", "migrations", "runtime", "scripts", "sdk", "src", "tracker"]) {
    await mkdir(join(to, name), { recursive: true });
    await writeFile(join(to, name, "a.ts"), name);
  }
  for (const name of ["package.json", "package-lock.json"]) await writeFile(join(to, name), "{}");
}

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "tributary-version-")));
  clone = join(folder, "clone");
  await addSources(clone);
  for (const name of [".gitattributes", "scripts/commit.txt"]) await cp(join(root, name), join(clone, name));
  await run("git", "init", "-q");
  await run("git", "add", ".");
  const author = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
  await run("git", ...author, "commit", "-qm", "Begin");
  await run("git", ...author, "tag", "-am", "Release", "v0.1.0");
});
afterAll(() => rm(folder, { recursive: true }));

test("the version of a clone contains its commit, and whether files differ from the commit", async () => {
  const commit = await run("git", "rev-parse", "--short", "HEAD");
  expect(releaseOf(clone)).toBe(`${manifest.version}+${commit}`);
  await writeFile(join(clone, "src/a.ts"), "changed");
  expect(releaseOf(clone)).toBe(`${manifest.version}+${commit}-dirty`);
  await run("git", "checkout", "-q", "src/a.ts");
});

test("the version of an archive contains the commit that it was created from", async () => {
  const [file, unpacked] = [join(folder, "archive.tar"), join(folder, "archive")];
  await mkdir(unpacked);
  await run("git", "archive", "-o", file, "HEAD");
  await run("tar", "-xf", file, "-C", unpacked);
  expect(releaseOf(unpacked)).toBe(releaseOf(clone));
});

test("the version of a copy contains a digest of its sources, even inside another project's repository", async () => {
  const [copy, other] = [join(clone, "vendor/tributary"), join(folder, "copy")];
  for (const to of [copy, other]) await addSources(to);
  const version = releaseOf(copy);
  expect(version).toMatch(/\+sha256\.[0-9a-f]{12}$/);
  expect(releaseOf(other)).toBe(version);
  await mkdir(join(copy, "src/dist"));
  await writeFile(join(copy, "src/dist/built.js"), "built");
  await writeFile(join(copy, "note.txt"), "no source");
  expect(releaseOf(copy)).toBe(version);
  await writeFile(join(copy, "src/b.ts"), "more");
  expect(releaseOf(copy)).not.toBe(version);
});
