import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { packCurrent, readReleases, release } from "../../sdk/releases.ts";

/** Creates a package with one file, and a folder for its releases. */
async function fixture(version: string) {
  const directory = await mkdtemp(join(tmpdir(), "tributary-releases-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const folder = join(directory, "package");
  const dist = join(directory, "dist");
  const released = join(directory, "released");
  for (const made of [folder, dist, released]) await mkdir(made);
  for (const file of ["LICENSE", "README.md", "bin.js"]) await cp(join(root, "sdk", file), join(folder, file));
  const setVersion = (next: string) =>
    writeFile(join(folder, "package.json"), JSON.stringify({ name: "tributary-sdk", version: next }));
  const setContent = (text: string) => writeFile(join(dist, "index.js"), text);
  await setVersion(version);
  await setContent("first");
  await writeFile(join(released, "integrity.json"), "{}\n");
  return {
    setVersion,
    setContent,
    released: (file: string) => join(released, file),
    release: () => release({ folder, dist }, { folder: released }),
    releases: () => readReleases(released),
    current: async () => packCurrent({ folder, dist }, await readReleases(released)),
  };
}

test("an unreleased SDK version is named after its content", async () => {
  const { current, setContent } = await fixture("1.0.0");
  const first = await current();
  expect(first.version).toMatch(/^1\.0\.0-dev-[0-9a-f]{12}$/);
  expect(gunzipSync(first.tarball).toString("latin1")).toContain(`"version": "${first.version}"`);
  expect(await current()).toEqual(first);
  await setContent("second");
  expect((await current()).version).not.toBe(first.version);
});

test("a released SDK version keeps its bytes, and changed content requires a new version", async () => {
  const { current, release, setContent, setVersion, released } = await fixture("1.0.0");
  const { file, integrity } = await release();
  expect(file).toBe(released("tributary-sdk-1.0.0.tgz"));
  expect(JSON.parse(await readFile(released("integrity.json"), "utf8"))).toEqual({ "1.0.0": integrity });
  expect(await current()).toEqual({ version: "1.0.0", tarball: await readFile(file) });

  await setContent("second");
  const isReleased = "tributary-sdk 1.0.0 is released";
  await expect(current()).rejects.toThrow(`${isReleased} and its sources changed: raise the version`);
  await expect(release()).rejects.toThrow(`${isReleased} already: raise the version`);
  await setVersion("1.1.0");
  expect((await current()).version).toMatch(/^1\.1\.0-dev-/);
});

test("the service serves the released bytes of the SDK, and doesn't compress them again with this machine's zlib", async () => {
  const { current, release, released } = await fixture("1.0.0");
  const { file } = await release();
  const other = gzipSync(gunzipSync(await readFile(file)), { level: 1 });
  expect(other).not.toEqual(await readFile(file));
  await writeFile(file, other);
  const integrity = `sha512-${createHash("sha512").update(other).digest("base64")}`;
  await writeFile(released("integrity.json"), JSON.stringify({ "1.0.0": integrity }));
  expect((await current()).tarball).toEqual(other);
});

test("a released SDK file that was changed, removed or never listed causes an error", async () => {
  const { releases, release, released } = await fixture("1.0.0");
  const { file } = await release();
  const bytes = await readFile(file);
  expect(await releases()).toHaveLength(1);
  await writeFile(file, bytes.with(100, (bytes[100] ?? 0) ^ 1));
  await expect(releases()).rejects.toThrow("tributary-sdk-1.0.0.tgz was changed");
  await rm(file);
  await expect(releases()).rejects.toThrow("tributary-sdk-1.0.0.tgz is missing");
  await writeFile(file, bytes);
  await writeFile(released("tributary-sdk-9.0.0.tgz"), bytes);
  await expect(releases()).rejects.toThrow("no entry for tributary-sdk-9.0.0.tgz");
});

test("the newest SDK release is the one with the highest version number", async () => {
  const { releases, release, setVersion } = await fixture("0.10.0");
  await release();
  await setVersion("0.9.1");
  await release();
  expect((await releases()).map(({ version }) => version)).toEqual(["0.9.1", "0.10.0"]);
});

test.each(["1.0.0-beta.1", "1.0", "v1.0.0"])("the SDK can't be released as version %s", async (version) => {
  const { release } = await fixture(version);
  await expect(release()).rejects.toThrow(`${version} can't be released`);
});

test("the bug report form lists the newest release", async () => {
  const form = await readFile(join(root, ".github/ISSUE_TEMPLATE/bug.yml"), "utf8");
  const releases = await readReleases(join(root, "sdk/released"));
  expect(/placeholder: service [\w.]+, tributary-sdk (\S+)/.exec(form)?.[1]).toBe(releases.at(-1)?.version);
});
