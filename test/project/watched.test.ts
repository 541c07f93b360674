import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { type Child, whyEnded } from "../../scripts/service/child.ts";
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
  const exit = await child.exited;
  expect(exit).toEqual({ code: null, signal: "SIGKILL", stuckForMs: 1_000 });
  expect(whyEnded("The desk", exit)).toBe("The desk was killed: its process hadn't responded for 1 s.");
});

test("a process that is suspended is killed", async () => {
  const child = await watched("process.on('message', (m) => process.send(m))");
  await once(child.process, "message");
  child.signal("SIGSTOP");
  const exit = await child.exited;
  expect(exit).toEqual({ code: null, signal: "SIGKILL", stuckForMs: 1_000 });
  expect(whyEnded("The desk", exit)).toBe("The desk was killed: its process hadn't responded for 1 s.");
});

test("a process that ends without being killed by the watcher is reported", async () => {
  const child = await watched("process.exit(3)");
  expect(whyEnded("The desk", await child.exited)).toBe("The desk ended (exit code 3).");
});

test("a process that sends messages for longer than the limit isn't killed", async () => {
  const stuckAfterMs = 4_000;
  const child = await watched("process.on('message', (m) => process.send(m))", stuckAfterMs);
  const end = performance.now() + 1.25 * stuckAfterMs;
  while (performance.now() < end) await once(child.process, "message");
  expect(child.isRunning).toBe(true);
});
