import { cp, link, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { judgeSdk } from "../../sdk/build.ts";
import { root } from "../root.ts";
import { buildDashboard, type Dashboard, judgeDashboard } from "./dashboard.ts";
import { buildDocuments } from "./documents.ts";
import { buildGuides } from "./guides.ts";
import { publishSdk, type Sdk } from "./sdk.ts";
import { type ServedFiles, sdkDist, servedFilesIn } from "./served-files.ts";
import { buildTracker, judgeTracker, type Tracker } from "./tracker.ts";

export interface BuildOptions {
  /** The folder of the build. The default is `dist`. An earlier build is replaced only once the new one is complete. */
  readonly directory?: string;
  /** Keeps older files of the dashboard for a day, for pages that are already open. */
  readonly keepsParts?: boolean;
  /** The folder for the SDK's files, normally `sdkDist`. By default, the SDK isn't written. */
  readonly sdk?: string;
}

export interface Build extends ServedFiles {
  readonly metafile: esbuild.Metafile;
  /** The code that workerd compiles before the first request: the entry and its static imports. */
  readonly entry: { readonly files: readonly string[]; readonly bytes: number; readonly gzipBytes: number };
  readonly totalBytes: number;
  readonly tracker: Tracker;
  readonly dashboard: Dashboard;
  readonly partnerApp: Dashboard;
  readonly embeddedPage: Dashboard;
  readonly sdk: Sdk;
}

export const entryLimitGzipBytes = 148_630;

export async function build(options: BuildOptions = {}): Promise<Build> {
  const directory = resolve(root, options.directory ?? "dist");
  await mkdir(directory, { recursive: true });
  const fresh = await mkdtemp(join(directory, "next-"));
  try {
    const publicDirectory = join(fresh, "public");
    await cp(join(root, "scripts/build/public"), publicDirectory, { recursive: true });
    await cp(join(root, "dashboard/src/icon.svg"), join(publicDirectory, "favicon.svg"));
    const tracker = await buildTracker(publicDirectory);
    const dashboard = await buildDashboard(publicDirectory, "app");
    const partnerApp = await buildDashboard(publicDirectory, "partner");
    const embeddedPage = await buildDashboard(publicDirectory, "embed");
    await buildGuides(publicDirectory);
    const sdk = await publishSdk(publicDirectory, options.sdk ?? join(fresh, "sdk"));
    await buildDocuments(publicDirectory, sdk.file);
    if (options.keepsParts) {
      for (const parts of partFolders) await keepParts(join(directory, parts), join(fresh, parts));
    }
    const workerDirectory = join(fresh, "worker");
    const worker = await buildWorker(workerDirectory, "src/worker.ts");
    const serverDirectory = join(fresh, "server");
    await buildServer(serverDirectory);
    const served = servedFilesIn(directory);
    await swapIn(workerDirectory, served.workerDirectory);
    await swapIn(serverDirectory, dirname(served.serverFile));
    await swapIn(publicDirectory, served.publicDirectory);
    return { ...worker, ...served, tracker, dashboard, partnerApp, embeddedPage, sdk };
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Replaces a folder with another one on the same disk. Of several concurrent calls, the last one wins. */
async function swapIn(fresh: string, place: string): Promise<void> {
  const old = `${fresh}-old`;
  do {
    await rename(place, old).catch(unless("ENOENT"));
    await rm(old, { recursive: true, force: true });
  } while (!(await rename(fresh, place).then(() => true, unless("ENOTEMPTY", "EEXIST"))));
}

const unless =
  (...codes: string[]) =>
  (error: unknown): false => {
    if (error instanceof Error && "code" in error && codes.includes(String(error.code))) return false;
    throw error;
  };

const partFolders = ["public/app/assets", "public/partner/assets", "public/embed/assets"];
const partsAreKeptMs = 24 * 60 * 60 * 1000;

async function keepParts(earlier: string, fresh: string): Promise<void> {
  const ours = await readdir(fresh);
  for (const file of await readdir(earlier).catch(() => [])) {
    if (ours.includes(file)) continue;
    // The hard link has the time of the last build that created the file.
    const { mtimeMs } = await stat(join(earlier, file));
    if (Date.now() - mtimeMs < partsAreKeptMs) await link(join(earlier, file), join(fresh, file));
  }
}

const forWorkerd = {
  format: "esm",
  target: "es2023",
  platform: "browser",
  conditions: ["workerd", "worker", "browser"],
  // Makes module names independent of the clone if node_modules is a link.
  preserveSymlinks: true,
  external: ["node:*", "cloudflare:*"],
  define: { "process.env.NODE_ENV": '"production"' },
} as const satisfies esbuild.BuildOptions;

export async function buildWorker(
  directory: string,
  entryPoint: string,
): Promise<Pick<Build, "metafile" | "entry" | "totalBytes">> {
  const { metafile, outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { worker: resolve(root, entryPoint) },
    // Nothing is written to this folder. It matters only because hashes in file names depend on source maps, whose
    // paths are relative to it.
    outdir: "dist/worker",
    write: false,
    bundle: true,
    splitting: true,
    ...forWorkerd,
    chunkNames: "[name]-[hash]",
    minify: true,
    sourcemap: "linked",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    plugins: [leanSchemas, leanQueries],
  });
  await mkdir(directory);
  for (const { path, contents } of outputFiles) await writeFile(join(directory, basename(path)), contents);
  await declareModules(directory);

  const files = staticPath(metafile, "dist/worker/worker.js");
  const contents = Buffer.concat(await Promise.all(files.map((file) => readFile(join(directory, basename(file))))));
  const entry = { files, bytes: contents.length, gzipBytes: gzipSync(contents, { level: 9 }).length };
  const totalBytes = Object.entries(metafile.outputs)
    .filter(([file]) => file.endsWith(".js"))
    .reduce((sum, [, output]) => sum + output.bytes, 0);
  return { metafile, entry, totalBytes };
}

async function buildServer(directory: string): Promise<void> {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { server: join(root, "runtime/server.ts") },
    outdir: directory,
    bundle: true,
    ...forWorkerd,
    minify: true,
    logLevel: "warning",
    metafile: true,
    plugins: [besideWorker],
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  if (!imports.some(({ path }) => path === workerBeside)) throw new Error("runtime/server.ts has a Worker of its own");
  await declareModules(directory);
}

/** Without this file, Node takes the type of a folder's modules from a package.json in any folder above it. */
const declareModules = (directory: string) => writeFile(join(directory, "package.json"), '{"type":"module"}\n');

const workerBeside = "./worker.js";

const besideWorker: esbuild.Plugin = {
  name: "beside-worker",
  setup(plugin) {
    plugin.onResolve({ filter: /^#worker\.ts$/ }, () => ({ path: workerBeside, external: true }));
  },
};

export function staticPath(metafile: esbuild.Metafile, entry: string): string[] {
  const seen = new Set<string>();
  const visit = (file: string) => {
    const output = metafile.outputs[file];
    if (output === undefined || seen.has(file)) return;
    seen.add(file);
    for (const { path, kind, external } of output.imports) {
      if (kind === "import-statement" && !external) visit(path);
    }
  };
  visit(entry);
  if (seen.size === 0) throw new Error(`${entry} is not in the build`);
  return [...seen];
}

/**
 * @hono/zod-openapi re-exports all of zod as `z`. So a bundler can't drop the unused two thirds of zod, such as
 * messages in fifty languages. @hono/zod-openapi itself needs only one class of `z`. The service imports its part of
 * zod from src/http/schema/zod.ts. @hono/zod-openapi also imports the generators of OpenAPI documents, which run only
 * during the build.
 */
const leanSchemas: esbuild.Plugin = {
  name: "lean-schemas",
  setup(plugin) {
    plugin.onResolve({ filter: /^@asteasolutions\/zod-to-openapi$/ }, ({ namespace }) =>
      namespace === "file" ? { path: "lean-openapi", namespace: "lean-openapi" } : undefined,
    );
    plugin.onLoad({ filter: /.*/, namespace: "lean-openapi" }, () => ({
      contents: `
        export { OpenAPIRegistry, extendZodWithOpenApi, getOpenApiMetadata } from "@asteasolutions/zod-to-openapi";
        export const OpenApiGeneratorV3 = undefined, OpenApiGeneratorV31 = undefined;`,
      loader: "js",
      resolveDir: root,
    }));
    plugin.onResolve({ filter: /^zod$/ }, ({ importer }) =>
      /[\\/]@hono[\\/]zod-openapi[\\/]/.test(importer) ? { path: "lean-zod", namespace: "lean-zod" } : undefined,
    );
    plugin.onLoad({ filter: /.*/, namespace: "lean-zod" }, () => ({
      contents: `
        import { config, ZodType } from "zod";
        import english from "zod/v4/locales/en.js";
        config(english());
        export const z = { ZodType };`,
      loader: "js",
      resolveDir: root,
    }));
  },
};

/**
 * Drizzle's query builder imports its relational queries, but never calls them without a schema of relations, which the
 * service doesn't have. The query builder also checks whether a value is a PostgreSQL enum, and for this it imports the
 * code of PostgreSQL columns.
 */
const leanQueries: esbuild.Plugin = {
  name: "lean-queries",
  setup(plugin) {
    plugin.onLoad({ filter: /[\\/]drizzle-orm[\\/]relations\.js$/ }, () => ({
      contents: `
        export class One {}
        export class Many {}
        const unused = () => {
          throw new Error("the build leaves out relational queries");
        };
        export {
          unused as createTableRelationsHelpers, unused as extractTablesRelationalConfig, unused as getOperators,
          unused as getOrderByOperators, unused as mapRelationalRow, unused as normalizeRelation,
        };`,
      loader: "js",
    }));
    plugin.onLoad({ filter: /[\\/]drizzle-orm[\\/]pg-core[\\/]columns[\\/]enum\.js$/ }, () => ({
      contents: "export const isPgEnum = () => false;",
      loader: "js",
    }));
  },
};

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

export function judgeSize({ entry, totalBytes }: Pick<Build, "entry" | "totalBytes">): {
  readonly text: string;
  readonly isTooBig: boolean;
} {
  const size = `${kilobytes(entry.bytes)} at the start, ${kilobytes(entry.gzipBytes)} gzip (of ${kilobytes(entryLimitGzipBytes)})`;
  const isTooBig = entry.gzipBytes > entryLimitGzipBytes;
  const advice =
    " That is more than the limit: what is needed only now and then belongs behind an import(), and what calls need raises the limit.";
  return { text: `Worker: ${size}; ${kilobytes(totalBytes)} in all.${isTooBig ? advice : ""}`, isTooBig };
}

if (import.meta.main) {
  const built = await build({ sdk: sdkDist });
  const judged = [
    judgeSize(built),
    judgeTracker(built.tracker),
    judgeDashboard("app", built.dashboard),
    judgeDashboard("partner", built.partnerApp),
    judgeDashboard("embed", built.embeddedPage),
    ...judgeSdk(built.sdk.sizes),
  ];
  for (const { text, isTooBig } of judged) {
    console.log(text);
    if (isTooBig) process.exitCode = 1;
  }
  console.log(`SDK: ${built.sdk.version}; /${built.sdk.file}`);
}
