import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { execute } from "../support/tributary.ts";

test("a command resolves each entry point of Drizzle once, and loads the same modules as Node", {
  tags: "soak",
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "tributary-modules-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [counter, asked] = [join(folder, "counter.cjs"), join(folder, "asked")];
  // The hook registered first is called last. So it receives only what Node itself has to resolve.
  await writeFile(
    counter,
    `const { appendFileSync } = require("node:fs");
     require("node:module").registerHooks({
       resolve(specifier, context, next) {
         const found = next(specifier, context);
         if (found.url.includes("/node_modules/drizzle-orm/"))
           appendFileSync(${JSON.stringify(asked)}, specifier + " " + found.url + " " + found.format + "\\n");
         return found;
       },
     });`,
  );
  const command = ["scripts/with-node", "node", "scripts/tributary.ts", "audit"];
  const lines = async () => (await readFile(asked, "utf8")).trim().split("\n");
  const env = { NODE_OPTIONS: `--require=${counter}`, DATABASE_URL: "http://127.0.0.1:9" };
  await execute("sh", command, env);
  const quick = await lines();
  expect(quick.length).toBe(new Set(quick).size);

  await rm(asked);
  await execute(process.execPath, command.slice(2), env);
  const all = await lines();
  expect(all.length).toBeGreaterThan(100);
  expect(all).toEqual(expect.arrayContaining(quick));
});
