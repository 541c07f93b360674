import { expect, onTestFinished, test, vi } from "vitest";
import { keepRunning } from "../../scripts/service/keep-running.ts";
import { jsonLog } from "../../scripts/service/logs.ts";

const patience = { firstDelayMs: 1, longestDelayMs: 4, steadyMs: 60_000, attempts: 6 };

/** Starts a process that exits at once. */
function failing() {
  const said: string[] = [];
  let starts = 0;
  const kept = {
    name: "The service",
    ended: () => Promise.resolve("The service ended (exit code 1)."),
    start: () => {
      starts += 1;
      return starts % 2 === 0 ? Promise.reject(new Error("no room")) : Promise.resolve();
    },
    isStopping: () => false,
    say: (_level: string, message: string) => said.push(message),
  };
  return { kept, said, starts: () => starts };
}

test("a process that keeps failing is restarted with growing delays, and isn't restarted after too many failures in a row", async () => {
  const { kept, said, starts } = failing();
  await expect(keepRunning(kept, patience)).rejects.toThrow(
    "The service failed 6 times in a row. The service ended (exit code 1).",
  );
  expect(starts()).toBe(5);
  const waits = said.flatMap((message) => /in (\d+) ms/.exec(message)?.[1] ?? []);
  expect(waits).toEqual(["1", "2", "4", "4", "4"]);
  expect(said).toContain("no room It is started again in 4 ms.");
});

test("a process that has run for a while before each failure is always restarted", async () => {
  const { kept, starts } = failing();
  const isStopping = () => starts() >= 20;
  await keepRunning({ ...kept, isStopping }, { ...patience, steadyMs: 0 });
  expect(starts()).toBe(20);
});

test("a process that ends while the service is being stopped isn't restarted", async () => {
  const { kept, starts } = failing();
  await keepRunning({ ...kept, isStopping: () => true }, patience);
  expect(starts()).toBe(0);
});

test.each([
  ['{"level":"info","status":200}', { level: "info", status: 200 }],
  ["(node:12) Warning: slow ", { level: "warn", message: "(node:12) Warning: slow" }],
  ["FATAL ERROR: Reached heap limit", { level: "error", message: "FATAL ERROR: Reached heap limit" }],
  ["<--- Last few GCs --->", { level: "info" }],
  ["Error: database or disk is full", { level: "error" }],
  ["{ not JSON", { level: "info", message: "{ not JSON" }],
])("the output %s is logged as one object", (line, object) => {
  const lines: string[] = [];
  jsonLog((text) => lines.push(text)).from("service")(line);
  expect(lines.map((text) => JSON.parse(text))).toEqual([expect.objectContaining(object)]);
});

test("a message that a process repeats is logged at most once a minute", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const tell = jsonLog((text) => lines.push(JSON.parse(text).message)).from("service");
  const full = "Error: database or disk is full";
  for (let i = 0; i < 3; i += 1) tell(full);
  tell("another");
  expect(lines).toEqual([full, "another"]);
  vi.advanceTimersByTime(60_000);
  tell(full);
  expect(lines).toHaveLength(3);
});
