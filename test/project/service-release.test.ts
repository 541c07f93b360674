import { execFileSync } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { type Releasing, releaseService } from "../../scripts/release/release-service.ts";
import { changedMigrations, releasedBookFile } from "../../scripts/release/released-migrations.ts";
import { root } from "../../scripts/root.ts";

const files = {
  "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n",
  "README.md": "The last release is 0.0.0. It has a thing.\n",
  "package.json": '{\n  "version": "0.0.0",\n  "dependencies": { "a": "1" }\n}\n',
  "package-lock.json": '{"version": "0.0.0", "packages": {"": {"version": "0.0.0"}, "a": {"version": "1"}}}',
  "sdk/package.json": '{ "version": "0.4.0" }',
  ".github/ISSUE_TEMPLATE/bug.yml": "placeholder: service 9be7513, tributary-sdk 0.4.0\n",
  "migrations/0000_schema.sql": "create table a (b);\n",
  "scripts/release/released-migrations.json": "{}\n",
};

const ofToday = { day: "2026-12-01", sdkVersions: ["0.4.0"], book: Buffer.from("a book") };

async function repository() {
  const folder = await mkdtemp(join(tmpdir(), "tributary-release-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
  git("init", "--quiet", "--initial-branch=main");
  for (const [name, value] of [
    ["user.name", "A"],
    ["user.email", "a@example.com"],
    ["commit.gpgsign", "false"],
    ["tag.gpgsign", "false"],
  ] as const) {
    git("config", name, value);
  }
  git("add", ".");
  git("commit", "--quiet", "--message", "Begin");
  const release = (version: string, options: Partial<Releasing> = {}) =>
    releaseService({ ...ofToday, folder, version, check: () => undefined, ...options });
  const read = (path: string) => readFile(join(folder, path), "utf8");
  return { folder, git, release, read };
}

test("a release writes its version once, commits it and tags it", async () => {
  const { git, release, read, folder } = await repository();
  release("0.1.0");
  expect(git("describe", "--exact-match")).toBe("v0.1.0");
  expect(git("status", "--porcelain")).toBe("");
  expect(await read("CHANGELOG.md")).toBe(
    "# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-12-01)\n\n### Added\n\n- A thing.\n",
  );
  expect(await read("README.md")).toBe("The last release is 0.1.0. It has a thing.\n");
  expect(JSON.parse(await read("package.json"))).toEqual({ version: "0.1.0", dependencies: { a: "1" } });
  expect(JSON.parse(await read("package-lock.json"))).toEqual({
    version: "0.1.0",
    packages: { "": { version: "0.1.0" }, a: { version: "1" } },
  });
  expect(await read(".github/ISSUE_TEMPLATE/bug.yml")).toBe("placeholder: service 0.1.0, tributary-sdk 0.4.0\n");
  expect(brotliDecompressSync(await readFile(join(folder, releasedBookFile)))).toEqual(ofToday.book);
  expect(() => release("0.2.0")).toThrow("CHANGELOG.md has nothing unreleased");
  expect(changedMigrations(folder)).toEqual([]);
  await appendFile(join(folder, "migrations/0000_schema.sql"), "create table c (d);\n");
  await writeFile(join(folder, "migrations/0001_next.sql"), "create table e (f);\n");
  expect(changedMigrations(folder)).toEqual(["0000_schema.sql"]);
});

const failing = () => {
  throw new Error("3 tests failed");
};

const refused: readonly (readonly [string, Partial<Releasing>, string])[] = [
  ["v1", {}, "v1 is no version, such as 0.2.0"],
  ["0.0.9", {}, "0.1.0 is released: the next version is a later one"],
  ["0.1.0", {}, "0.1.0 is released"],
  ["0.2.0", { sdkVersions: ["0.3.0"] }, "tributary-sdk 0.4.0 isn't released yet"],
  ["0.2.0", { check: failing }, "3 tests failed"],
];

test("a release that is refused changes nothing", async () => {
  const { folder, git, release } = await repository();
  release("0.1.0");
  await writeFile(join(folder, "CHANGELOG.md"), files["CHANGELOG.md"]);
  git("commit", "--quiet", "--all", "--message", "Add another thing");
  const before = git("rev-parse", "HEAD");
  for (const [version, options, message] of refused) {
    expect(() => release(version, options)).toThrow(message);
    expect([git("rev-parse", "HEAD"), git("status", "--porcelain"), git("tag")]).toEqual([before, "", "v0.1.0"]);
  }
});

test("a release from a branch or with uncommitted changes is refused", async () => {
  const { folder, git, release } = await repository();
  await appendFile(join(folder, "CHANGELOG.md"), "- Another one.\n");
  expect(() => release("0.1.0")).toThrow("The working tree has changes");
  git("checkout", "--quiet", "-b", "other");
  git("commit", "--quiet", "--all", "--message", "Go on");
  expect(() => release("0.1.0")).toThrow("Releases are made of main");
});

test("no migration of a release was changed", () => {
  expect(changedMigrations(root)).toEqual([]);
});
