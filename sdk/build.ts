import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { filesIn } from "./files.ts";

/** Maximum size of each entry in an application's bundle: minified and compressed with gzip, in bytes. */
export const limitsGzipBytes = {
  index: 4_032,
  program: 6_016,
  browser: 1_024,
  embed: 1_024,
  react: 1_664,
  stripe: 8_640,
  paddle: 4_608,
  "lemon-squeezy": 4_480,
  polar: 4_608,
  currency: 512,
  webhooks: 1_088,
  testing: 1_088,
} as const;

type Entry = keyof typeof limitsGzipBytes;
export type Sizes = Readonly<Record<Entry, number>>;
const entries = Object.keys(limitsGzipBytes) as Entry[];

const common: esbuild.BuildOptions = {
  absWorkingDir: import.meta.dirname,
  bundle: true,
  // Module names must not depend on the clone's path if node_modules is a symbolic link.
  preserveSymlinks: true,
  target: "es2022",
  platform: "neutral",
  external: ["react"],
  logLevel: "warning",
};

/** Builds the package into `directory` (default: `dist`), and prints the size of each entry. */
export async function buildSdk(directory = join(import.meta.dirname, "dist")): Promise<Sizes> {
  await mkdir(dirname(directory), { recursive: true });
  const fresh = await mkdtemp(`${directory}.next-`);
  try {
    const entryPoints = entries.map((entry) => `src/${entry}.ts`);
    const readable = { ...common, entryPoints, outdir: fresh };
    await esbuild.build({ ...readable, format: "esm" });
    await esbuild.build({ ...readable, format: "cjs", outExtension: { ".js": ".cjs" } });
    await buildCli(join(fresh, "cli.js"));
    await declare(fresh);
    await replaceFiles(directory, fresh);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  const sizes = entries.map(async (entry) => [entry, await gzipBytes(`src/${entry}.ts`)] as const);
  return Object.fromEntries(await Promise.all(sizes)) as Sizes;
}

/**
 * Replaces files one by one, so that a program that imports the package at the same time finds each of them complete.
 */
async function replaceFiles(directory: string, fresh: string): Promise<void> {
  const files = await filesIn(fresh);
  for (const file of files) {
    await mkdir(dirname(join(directory, file)), { recursive: true });
    await rename(join(fresh, file), join(directory, file));
  }
  for (const file of await filesIn(directory)) if (!files.includes(file)) await rm(join(directory, file));
}

/** Builds the command `tributary-sdk` into one file. */
export async function buildCli(outfile: string): Promise<void> {
  await esbuild.build({
    ...common,
    entryPoints: ["cli/main.ts"],
    outfile,
    format: "esm",
    platform: "node",
    target: "node18",
    // Nobody reads library code in another package's file, and comments are half of papaparse.
    alias: { papaparse: "papaparse/papaparse.min.js" },
  });
}

/**
 * Writes the types twice, once for `import` and once for `require`, because each module format has its own
 * declarations.
 */
async function declare(directory: string): Promise<void> {
  const tsc = join(import.meta.dirname, "../node_modules/typescript/bin/tsc");
  const project = join(import.meta.dirname, "tsconfig.build.json");
  await promisify(execFile)(process.execPath, [tsc, "-p", project, "--outDir", directory]);
  await copyFile(join(import.meta.dirname, "../tracker/svc.d.ts"), join(directory, "svc.d.ts"));
  for (const file of await filesIn(directory)) {
    if (!file.endsWith(".d.ts")) continue;
    const text = await readFile(join(directory, file), "utf8");
    const importing = (kind: string) =>
      text.replaceAll(
        /(from ")(?:[./]+\/tracker\/)?([./\w-]+?)(?:\.d)?\.ts"/g,
        (_, from, path: string) => `${from}${path.startsWith(".") ? path : `./${path}`}.${kind}"`,
      );
    await writeFile(join(directory, file), importing("js"));
    await writeFile(join(directory, file.replace(/\.d\.ts$/, ".d.cts")), importing("cjs"));
  }
}

async function gzipBytes(entryPoint: string): Promise<number> {
  const { outputFiles } = await esbuild.build({
    ...common,
    entryPoints: [entryPoint],
    format: "esm",
    minify: true,
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
}

/** Returns the size of each entry; `isTooBig` is true if one exceeds its limit. */
export const judgeSdk = (sizes: Sizes): readonly { readonly text: string; readonly isTooBig: boolean }[] =>
  entries.map((entry) => {
    const [bytes, limit] = [sizes[entry], limitsGzipBytes[entry]];
    const isTooBig = bytes > limit;
    const advice = isTooBig
      ? " That is more than the limit: what only some integrations need belongs in an entry of its own, and what all need raises the limit."
      : "";
    return { text: `SDK ${entry}: ${bytes} bytes gzip (of ${limit}).${advice}`, isTooBig };
  });

if (import.meta.main) {
  for (const { text, isTooBig } of judgeSdk(await buildSdk())) {
    console.log(text);
    if (isTooBig) process.exitCode = 1;
  }
}
