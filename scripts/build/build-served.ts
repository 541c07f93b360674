import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { explain } from "../command.ts";
import { root } from "../root.ts";
import { digestOf } from "./release.ts";
import { areServed, type Built, builtFile } from "./served-files.ts";

// `build-served.ts <directory> [<folder for the SDK>]`: what the service serves, built unless it is there already.

const [directory = "dist", sdk] = process.argv.slice(2);

try {
  const digest = digestOf(root);
  if (!(await isBuilt(digest))) await buildAs(digest);
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

async function isBuilt(digest: string): Promise<boolean> {
  const text = await readFile(builtFile(directory), "utf8").catch(() => "{}");
  return (JSON.parse(text) as Partial<Built>).digest === digest && areServed(directory, sdk);
}

async function buildAs(digest: string): Promise<void> {
  const { build } = await import("./build.ts");
  // Left by interrupted builds. No other build uses this folder.
  for (const name of await readdir(directory).catch(() => [])) {
    if (name.startsWith("next-")) await rm(join(directory, name), { recursive: true, force: true });
  }
  await rm(builtFile(directory), { force: true });
  const { sdk: published } = await build({ directory, keepsParts: true, ...(sdk !== undefined && { sdk }) });
  const built: Built = { digest, newestSdk: published.newestFile };
  await writeFile(builtFile(directory), JSON.stringify(built));
}
