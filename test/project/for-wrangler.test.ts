/** @module-tag soak */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../scripts/service/ports.ts";
import { wranglerMain } from "../../scripts/wrangler.ts";
import { cloneInto } from "../support/clone.ts";

async function clone(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tributary-wrangler-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return cloneInto(join(folder, "clone"));
}

function wrangler(cwd: string, ...args: readonly string[]) {
  const env = { PATH: process.env.PATH, HOME: cwd, CI: "true", WRANGLER_SEND_METRICS: "false" };
  const child = spawn(process.execPath, [wranglerMain(), ...args], { cwd, env, detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await exited;
  };
  onTestFinished(stop);
  return { exited, output: () => output };
}

const secrets = "DATABASE_URL, DATABASE_AUTH_TOKEN, CLICK_KEYS, HASH_SECRET, AUTH_SECRET, and DATA_KEYS";

test("wrangler deploy builds a clean clone, and prints what it doesn't send", async () => {
  const folder = await clone();
  const { exited, output } = wrangler(folder, "deploy", "--dry-run");
  expect(await exited, output()).toBe(0);
  expect(output()).toContain(`wrangler deploy alone sends none of ${secrets}: npm run deploy does`);
  expect(existsSync(join(folder, "dist/worker/worker.js"))).toBe(true);
});

test("wrangler dev builds a clean clone, starts, and prints which secrets are missing", async () => {
  const folder = await clone();
  const port = await freePort();
  const { output } = wrangler(folder, "dev", "--port", String(port));
  await vi.waitUntil(() => output().includes("Ready on"), { timeout: 120_000 });
  expect(output()).toContain(`Missing, in .dev.vars or the environment: ${secrets}.`);
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBeTypeOf("number");
});
