import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
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

/** When the files were written. */
async function build(): Promise<number> {
  const env = { ...process.env, ...builtBefore() };
  await promisify(execFile)(node, ["scripts/build/build-served.ts", directory], { cwd: root, env });
  return (await stat(worker)).ctimeMs;
}

test("a start builds only what has changed since, or is gone", async () => {
  const first = await build();
  expect(await build()).toBe(first);

  const text = await readFile(worker, "utf8");
  await rm(worker);
  const again = await build();
  expect(again).toBeGreaterThan(first);
  expect(await readFile(worker, "utf8")).toBe(text);

  const built = JSON.parse(await readFile(builtFile(directory), "utf8"));
  await writeFile(builtFile(directory), JSON.stringify({ ...built, digest: "of other sources" }));
  const ofOurs = await build();
  expect(ofOurs).toBeGreaterThan(again);
  expect(JSON.parse(await readFile(builtFile(directory), "utf8"))).toEqual(built);

  // A build was interrupted.
  await rm(builtFile(directory));
  expect(await build()).toBeGreaterThan(ofOurs);
});
