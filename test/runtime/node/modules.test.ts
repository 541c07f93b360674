import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("the server's file finds the Worker if the data folder is a symbolic link", async () => {
  const folder = mkdtempSync(join(tmpdir(), "modules-"));
  for (const name of ["data", "data/server", "data/worker"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "data/server/server.js"), `export { name } from "./worker.js";`);
  writeFileSync(join(folder, "data/worker/worker.js"), `export const name = "the Worker";`);
  writeFileSync(join(folder, "data/package.json"), `{ "type": "module" }`);
  symlinkSync("data", join(folder, "link"));
  const build = { serverFile: join(folder, "link/server/server.js"), workerDirectory: join(folder, "link/worker") };
  const script = `
    import { provideModules } from ${JSON.stringify(join(import.meta.dirname, "../../../runtime/node/modules.ts"))};
    provideModules(${JSON.stringify(build)});
    console.log((await import(${JSON.stringify(build.serverFile)})).name);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  expect(stdout).toBe("the Worker\n");
});
