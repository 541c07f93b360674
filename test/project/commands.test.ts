import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { node, root } from "../../scripts/root.ts";

// vitest ignores a path without files if another has some.
test("each path that npm run check names has tests", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const paths: string[] = scripts.check.match(/\btest\/[\w/-]+/g);
  expect(paths.length).toBeGreaterThan(5);
  const tests = globSync("test/**/*.test.ts", { cwd: root });
  expect(paths.filter((path) => !tests.some((file) => file.startsWith(path)))).toEqual([]);
});

test.each([
  ["audit-ledger"],
  ["after-restore"],
  ["invite-owner"],
  ["spill"],
  ["reset-password", "owner@shop.example"],
  ["rotate-data-keys"],
])("npm run %s takes --data, ahead of DATABASE_URL", async (name, ...args) => {
  const env = { ...process.env, DATABASE_URL: "http://127.0.0.1:1", BASE_URL: "", DATA_KEYS: `1:${"A".repeat(43)}` };
  const run = promisify(execFile)(node, [`scripts/${name}.ts`, ...args, "--data", "no-such-folder"], {
    cwd: root,
    env,
  });
  await expect(run).rejects.toMatchObject({ stdout: "", stderr: "No service runs here on no-such-folder.\n" });
});

test.each(["start", "deploy"])(
  "npm run %s answers an unknown option with its usage, and does nothing",
  async (name) => {
    await expect(promisify(execFile)(node, [`scripts/${name}.ts`, "--help"], { cwd: root })).rejects.toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^Usage: npm (run )?\w+ -- \[.*\]\n$/),
    });
  },
);
