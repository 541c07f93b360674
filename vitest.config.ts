import { defineConfig } from "vitest/config";
import { isWhole, longestMs, tags } from "./test/support/breadth.ts";
import { skippedReporter } from "./test/support/skipped-reporter.ts";

const rules = ["domain", "http", "importer", "runtime"].map((folder) => `test/${folder}/**/*.test.ts`);
const project = ["test/project/**/*.test.ts"];
const faults = ["test/faults/**/*.test.ts"];
/** Beside a browser: a customer's page, the dashboard, and what an integrator installs, in Node, in a Worker and on a page. */
const pages = ["browser", "dashboard", "examples", "sdk"].map((folder) => `test/${folder}/**/*.test.ts`);

/** On two cores, more take longer for all of them together, and make each one slow. */
const maxWorkers = 4;

const timeouts = { testTimeout: longestMs, hookTimeout: longestMs };

const propertySeed = "test/support/property-seed.ts";

/** Files leave no state to the next: one process for many spares each what it imports. */
const sharedProcesses = {
  isolate: false,
  setupFiles: [propertySeed, "test/support/begin-file.ts"],
  ...timeouts,
};

/** What a poll waits for may take its time on a busy machine, and mostly is there at once. */
const patient = { expect: { poll: { timeout: 30_000, interval: 10 } } };

interface Service {
  readonly name: string;
  readonly include: string[];
  readonly exclude?: string[];
  readonly env?: Record<string, string>;
}

const service = (options: Service, groupOrder = 0) => ({
  resolve: { tsconfigPaths: true },
  test: {
    ...{ ...options, maxWorkers, sequence: { groupOrder } },
    ...patient,
    ...sharedProcesses,
    globalSetup: ["test/support/setup.ts", "test/support/browser-setup.ts"],
  },
});

/** On workerd, with the database behind HTTP, as Cloudflare and Turso have it: in npm test one file of each kind of route. */
const onWorkerd = isWhole
  ? ["browser", "contract", "dashboard", "shards", "workerd"].map((folder) => `test/${folder}/**/*.test.ts`)
  : [
      "test/workerd/**/*.test.ts",
      ...[
        "click",
        "lead-parallel",
        "sale-repeat",
        "payouts",
        "webhooks",
        "session-auth",
        "static-files",
        "privacy",
      ].map((name) => `test/contract/${name}.test.ts`),
    ];

export default defineConfig({
  plugins: [skippedReporter],
  test: {
    pool: "forks",
    tags,
    // Node's fetch throws where nobody can catch it if a connection ends while a body waits to be read. The answer arrives all the
    // same: https://github.com/nodejs/undici/issues/5360
    onUnhandledError: ({ message, stack = "" }) =>
      !(message.includes("assert(!this.paused)") && stack.includes("internal/deps/undici")),
    teardownTimeout: 20_000,
    projects: [
      // Plain Node, nothing started, and no state that a file could leave to the next: one process for many halves the time.
      {
        test: {
          ...patient,
          name: "rules",
          include: rules,
          ...timeouts,
          maxWorkers,
          isolate: false,
          setupFiles: propertySeed,
        },
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
      service({
        name: "service",
        include: ["test/**/*.test.ts"],
        exclude: [...rules, ...project, ...faults, ...(isWhole ? pages : []), "test/soak/**", "test/workerd/**"],
      }),
      // In the soak after what needs no browser, since some of it is measured. In npm test not: each project starts a service and
      // processes of its own.
      ...(isWhole ? [service({ name: "pages", include: pages }, 1)] : []),
      service({ name: "workerd", include: onWorkerd, env: { TEST_RUNTIME: "workerd" } }, isWhole ? 2 : 0),
      // After the others, by themselves: they starve and kill what they started, and have time-outs to watch.
      {
        test: {
          ...patient,
          name: "faults",
          include: faults,
          globalSetup: "test/support/setup.ts",
          maxWorkers: 3,
          ...sharedProcesses,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
