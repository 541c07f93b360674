/** @module-tag soak */
import { type ChildProcess, execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { openClient } from "../../scripts/database/client.ts";
import { root } from "../../scripts/root.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { start as startIn, stop } from "./started.ts";

let data: string;
const running: ChildProcess[] = [];

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "tributary-sample-"));
});
afterEach(async () => {
  for (const child of running.splice(0)) await stop(child);
  await rm(data, { recursive: true, force: true });
});

const start = async (hasSample: boolean) => {
  const port = await freePort();
  return startIn({ port, cwd: root, args: ["--data", data], hasSample, onSpawn: (child) => running.push(child) });
};

async function openedDatabase() {
  const { databaseUrl, databaseAuthToken } = JSON.parse(await readFile(join(data, "running.json"), "utf8"));
  return openClient({ url: databaseUrl, authToken: databaseAuthToken, intMode: "string" });
}

const programs = async () =>
  (await (await openedDatabase()).execute("select name from programs")).rows.map(({ name }) => name);

test("npm start adds the sample program once it is ready, even after a killed start, and adds none with --no-sample", async () => {
  const without = await start(false);
  // Creating the sample takes less time.
  await delay(3_000);
  expect(await programs()).toEqual(["Demo program"]);
  without.child.kill("SIGINT");
  expect(await without.exited).toBe(0);

  const killed = await start(true);
  killed.child.kill("SIGKILL");
  await killed.exited;

  const whole = await start(true);
  const lines = whole.banner.split("\n").filter((line) => line.includes("curl "));
  const { stdout } = await promisify(execFile)("sh", ["-c", lines.join("\n")]);
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers).toMatchObject(Array(4).fill({ success: true }));
  await expect.poll(programs).toEqual(["Demo program", "Sample shop"]);
  expect(await auditLedger(await openedDatabase())).toEqual([]);
  expect(whole.banner).toContain("(program 1, partner code DEMO)");
});
