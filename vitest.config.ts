import { defineConfig } from "vitest/config";
import { isWhole, soakTag } from "./test/support/breadth.ts";
import { skippedReporter } from "./test/support/skipped-reporter.ts";

const rules = ["domain", "http", "importer", "runtime"].map((folder) => `test/${folder}/**/*.test.ts`);
const project = ["test/project/**/*.test.ts"];
const faults = ["test/faults/**/*.test.ts"];
const browser = ["test/browser/**/*.test.ts"];
const sdk = ["test/sdk/**/*.test.ts", "test/examples/**/*.test.ts"];
const dashboard = ["test/dashboard/**/*.test.ts"];

/** On two cores, more take longer for all of them together, and make each one slow. */
const maxWorkers = 4;

/** Only what never ends takes so long, on the slowest machine too. */
const longestMs = isWhole ? 900_000 : 180_000;
const timeouts = { testTimeout: longestMs, hookTimeout: longestMs };

/** Files leave no state to the next: one process for many spares each what it imports. */
const sharedProcesses = { isolate: false, setupFiles: "test/support/begin-file.ts", ...timeouts } as const;

/** What a poll waits for may take its time on a busy machine. */
const patient = { expect: { poll: { timeout: 30_000 } } };

/** Beside a browser. In the soak after what needs none, since some of it is measured. */
const withBrowser = {
  ...patient,
  ...sharedProcesses,
  globalSetup: ["test/support/setup.ts", "test/support/browser-setup.ts"],
  maxWorkers: 4,
  sequence: { groupOrder: isWhole ? 1 : 0 },
};

export default defineConfig({
  plugins: [skippedReporter],
  test: {
    pool: "forks",
    tags: [soakTag],
    // Node's fetch throws where nobody can catch it if a connection ends while a body waits to be read. The answer arrives all the
    // same: https://github.com/nodejs/undici/issues/5360
    onUnhandledError: ({ message, stack = "" }) =>
      !(message.includes("assert(!this.paused)") && stack.includes("internal/deps/undici")),
    teardownTimeout: 20_000,
    projects: [
      // Plain Node, nothing started, and no state that a file could leave to the next: one process for many halves the time.
      {
        test: { name: "rules", include: rules, ...timeouts, maxWorkers, isolate: false },
      },
      {
        test: {
          ...patient,
          name: "project",
          include: project,
          globalSetup: ["test/support/build-setup.ts", "test/support/browser-setup.ts"],
          maxWorkers,
          ...sharedProcesses,
        },
      },
      // One service for all: every test makes its own workspace and program in it.
      {
        test: {
          ...patient,
          name: "service",
          include: ["test/**/*.test.ts"],
          exclude: [...rules, ...project, ...faults, ...browser, ...sdk, ...dashboard, "test/soak/**"],
          globalSetup: "test/support/setup.ts",
          maxWorkers,
          ...sharedProcesses,
        },
      },
      // A page of a customer's, in a real browser.
      {
        test: {
          name: "browser",
          include: browser,
          ...withBrowser,
        },
      },
      // What an integrator installs, against the service, in Node, in a Worker and on a page; and the examples of it.
      {
        resolve: { tsconfigPaths: true },
        test: {
          name: "sdk",
          include: sdk,
          ...withBrowser,
        },
      },
      // The dashboard, in a real browser.
      {
        test: {
          name: "dashboard",
          include: dashboard,
          ...withBrowser,
        },
      },
      // After the others, by themselves: they starve and kill what they started, and have time-outs to watch.
      {
        test: {
          name: "faults",
          include: faults,
          globalSetup: "test/support/setup.ts",
          maxWorkers: 3,
          ...sharedProcesses,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
