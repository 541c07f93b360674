import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { explain } from "../command.ts";
import { root } from "../root.ts";
import { digestOf } from "./digest.ts";
import { sources } from "./release.ts";
import { type Built, builtFile } from "./served-files.ts";

// Runs as `build-served.ts <directory> [<folder for the SDK>]`. Builds what the service serves, unless a current build
// already exists.

const [directory = "dist", sdk] = process.argv.slice(2);

try {
  const digest = digestOf(root, [...sources, "node_modules/.package-lock.json"]);
  const built = await readBuilt();
  if (built?.sources !== digest || built.files !== digestOfFiles()) await buildAs(digest);
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

function digestOfFiles(): string {
  const served = digestOf(directory, ["worker", "server", "public"]);
  return sdk === undefined ? served : `${served} ${digestOf(resolve(sdk), ["."])}`;
}

/** The current build, or undefined if there is no complete one. */
async function readBuilt(): Promise<Built | undefined> {
  try {
    return JSON.parse(await readFile(builtFile(directory), "utf8")) ?? undefined;
  } catch {
    return undefined;
  }
}

async function buildAs(digest: string): Promise<void> {
  const { build } = await import("./build.ts");
  // Removes what interrupted builds have left. No other build uses this folder.
  for (const name of await readdir(directory).catch(() => [])) {
    if (name.startsWith("next-")) await rm(join(directory, name), { recursive: true, force: true });
  }
  await rm(builtFile(directory), { force: true });
  const { sdk: published } = await build({ directory, keepsParts: true, ...(sdk !== undefined && { sdk }) });
  const built: Built = { sources: digest, files: digestOfFiles(), newestSdk: published.newestFile };
  const next = join(directory, "next-built.json");
  await writeFile(next, `${JSON.stringify(built)}\n`, { flush: true });
  await rename(next, builtFile(directory));
}
