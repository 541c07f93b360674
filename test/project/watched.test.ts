import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import type { Child } from "../../scripts/service/child.ts";
import { startWatched } from "../../scripts/service/watched.ts";

async function watched(script: string, stuckAfterMs = 1_000): Promise<Child> {
  const child = await startWatched(process.execPath, ["-e", script], () => {}, {
    env: process.env,
    askEveryMs: 50,
    stuckAfterMs,
  });
  onTestFinished(() => child.kill());
  return child;
}

test("a process whose event loop is blocked is killed", async () => {
  const child = await watched("process.once('message', (m) => { process.send(m); for (;;); })");
  expect(await child.exited).toEqual({ code: null, signal: "SIGKILL" });
});

test("a process that is suspended is killed", async () => {
  const child = await watched("process.on('message', (m) => process.send(m))");
  await once(child.process, "message");
  child.signal("SIGSTOP");
  expect(await child.exited).toEqual({ code: null, signal: "SIGKILL" });
});

test("a process that returns messages for longer than the limit isn't killed", async () => {
  const stuckAfterMs = 4_000;
  const child = await watched("process.on('message', (m) => process.send(m))", stuckAfterMs);
  const end = performance.now() + 1.25 * stuckAfterMs;
  while (performance.now() < end) await once(child.process, "message");
  expect(child.isRunning).toBe(true);
});
