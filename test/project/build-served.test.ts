import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { digestOf } from "../../scripts/build/digest.ts";
import { builtFile } from "../../scripts/build/served-files.ts";
import { node, root } from "../../scripts/root.ts";
import { builtBefore } from "./started.ts";

let directory: string;
let worker: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tributary-served-"));
  worker = join(directory, "worker/worker.js");
});
afterAll(() => rm(directory, { recursive: true }));

/** Builds, and returns when the files were written. */
async function build(): Promise<number> {
  const env = { ...process.env, ...builtBefore() };
  await promisify(execFile)(node, ["scripts/build/build-served.ts", directory], { cwd: root, env });
  return (await stat(worker)).ctimeMs;
}

const withBuilt = (change: (text: string) => string) => async () =>
  writeFile(builtFile(directory), change(await readFile(builtFile(directory), "utf8")));

test("npm start builds the service only if something has changed since the last build", async () => {
  const first = await build();
  expect(await build()).toBe(first);
});

const changes: readonly [what: string, change: () => Promise<void>][] = [
  ["a file of the Worker is missing", () => rm(worker)],
  [
    "its sources or its dependencies have changed",
    withBuilt((text) => JSON.stringify({ ...JSON.parse(text), sources: "" })),
  ],
  ["a file of the Worker is empty", () => writeFile(worker, "")],
  ["the browser script is missing", () => rm(join(directory, "public/js"), { recursive: true })],
  ["an earlier release has built there", () => writeFile(worker, "// of an earlier release")],
  ["the last build was interrupted", () => rm(builtFile(directory))],
  ["the record of the last build is damaged", withBuilt(() => "")],
];

test.each(changes)("npm start builds the service again if %s", { tags: "soak" }, async (_, change) => {
  const before = await build();
  const text = await readFile(worker, "utf8");
  await change();
  const again = await build();
  expect(again).toBeGreaterThan(before);
  expect(await readFile(worker, "utf8")).toBe(text);
  expect(await build()).toBe(again);
});

test("the digest of a folder's files changes with each content, path and missing file, and counts a dangling link as a missing file", async () => {
  const folder = join(directory, "sources");
  await mkdir(join(folder, "src/dist"), { recursive: true });
  const digests = [digestOf(folder, ["src"])];
  const after = async (change: Promise<unknown>) => {
    await change;
    digests.push(digestOf(folder, ["src", "package.json"]));
  };
  await after(writeFile(join(folder, "src/a"), "1"));
  await after(writeFile(join(folder, "src/a"), "2"));
  await after(rename(join(folder, "src/a"), join(folder, "src/b")));
  await after(symlink("nowhere", join(folder, "src/link")));
  await after(writeFile(join(folder, "package.json"), ""));
  expect(new Set(digests).size).toBe(digests.length);
  await after(writeFile(join(folder, "src/dist/built"), ""));
  expect(digests.at(-1)).toBe(digests.at(-2));
});
