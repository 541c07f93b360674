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
