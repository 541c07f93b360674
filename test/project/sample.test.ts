/** @module-tag soak */
import { type ChildProcess, execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { openClient } from "../../scripts/database/client.ts";
import { root } from "../../scripts/root.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { start as startIn, stop } from "./started.ts";

const folders: string[] = [];
const running: ChildProcess[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) await stop(child);
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tributary-sample-"));
  folders.push(folder);
  return folder;
}

const start = async (data: string, hasSample: boolean) => {
  const port = await freePort();
  return startIn({ port, cwd: root, args: ["--data", data], hasSample, onSpawn: (child) => running.push(child) });
};

async function openedDatabase(data: string) {
  const { databaseUrl, databaseAuthToken } = JSON.parse(await readFile(join(data, "running.json"), "utf8"));
  return openClient({ url: databaseUrl, authToken: databaseAuthToken, intMode: "string" });
}

const programs = async (data: string) =>
  (await (await openedDatabase(data)).execute("select name from programs")).rows.map(({ name }) => name);

test("npm start adds the sample program once it is ready, even after a start that was killed, and adds none with --no-sample", async () => {
  const [data, dataWithout] = [await newFolder(), await newFolder()];
  const without = await start(dataWithout, false);
  const killed = await start(data, true);
  killed.child.kill("SIGKILL");
  await killed.exited;

  const whole = await start(data, true);
  const lines = whole.banner.split("\n").filter((line) => line.includes("curl "));
  const { stdout } = await promisify(execFile)("sh", ["-c", lines.join("\n")]);
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers).toMatchObject(Array(4).fill({ success: true }));
  await expect.poll(() => programs(data)).toEqual(["Demo program", "Sample shop"]);
  // This service has been ready for longer than the other one, so a sample program would be there by now.
  expect(await programs(dataWithout)).toEqual(["Demo program"]);
  without.child.kill("SIGINT");
  expect(await without.exited).toBe(0);
  expect(await auditLedger(await openedDatabase(data))).toEqual([]);
  expect(whole.banner).toContain("(program 1, partner code DEMO)");
});
