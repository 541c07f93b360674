import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.ts";

// vitest passes over a path that matches no file, as long as another one does.
test("each path that npm run check names has tests", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const paths: string[] = scripts.check.match(/\btest\/[\w/-]+/g);
  expect(paths.length).toBeGreaterThan(5);
  const tests = globSync("test/**/*.test.ts", { cwd: root });
  expect(paths.filter((path) => !tests.some((file) => file.startsWith(path)))).toEqual([]);
});
