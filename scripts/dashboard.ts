import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { pageHeaders } from "../src/http/page-headers.ts";
import { root } from "./root.ts";

/** The dashboard as it was built. */
export interface Dashboard {
  /** All that a browser may ever load of it. */
  readonly gzipBytes: number;
  /** Before the first screen shows: the page, what it loads at once, and the largest of what comes with a screen. */
  readonly firstScreenGzipBytes: number;
}

export const dashboardLimitGzipBytes = 100_000;
export const firstScreenLimitGzipBytes = 60_000;

/** Builds the page into the assets, below `app/`, with its headers. */
export async function buildDashboard(publicDirectory: string): Promise<Dashboard> {
  const directory = join(publicDirectory, "app");
  const built = await build({
    configFile: false,
    root: join(root, "dashboard"),
    base: "/app/",
    publicDir: false,
    logLevel: "warn",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir: directory,
      emptyOutDir: true,
      target: "es2022",
      // `light-dark()` stays as it is written.
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
  if (!("output" in built)) throw new Error("vite was asked for one build");
  const headers = Object.entries(pageHeaders).map(([name, value]) => `  ${name}: ${value}\n`);
  await appendFile(
    join(publicDirectory, "_headers"),
    `\n/app/*\n${headers.join("")}\n/app/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n`,
  );
  return measure(directory, built.output);
}

async function measure(directory: string, output: Rolldown.RolldownOutput["output"]): Promise<Dashboard> {
  const sizes = new Map<string, number>();
  for (const { fileName } of output) {
    sizes.set(fileName, gzipSync(await readFile(join(directory, fileName)), { level: 9 }).length);
  }
  const chunks = new Map(output.flatMap((part) => (part.type === "chunk" ? [[part.fileName, part]] : [])));
  const sum = (files: Iterable<string>) => [...files].reduce((all, file) => all + (sizes.get(file) ?? 0), 0);
  /** A part and all that comes with it at once. */
  const closure = (file: string, seen: Set<string> = new Set()): Set<string> => {
    const chunk = chunks.get(file);
    if (seen.has(file) || chunk === undefined) return seen;
    seen.add(file);
    for (const style of chunk.viteMetadata?.importedCss ?? []) seen.add(style);
    for (const imported of chunk.imports) closure(imported, seen);
    return seen;
  };
  const entries = [...chunks.values()].filter(({ isEntry }) => isEntry);
  const atOnce = new Set(["index.html", ...entries.flatMap(({ fileName }) => [...closure(fileName)])]);
  const screens = entries.flatMap(({ dynamicImports }) => dynamicImports.map((file) => closure(file)));
  return {
    gzipBytes: sum(sizes.keys()),
    firstScreenGzipBytes: Math.max(
      ...[new Set<string>(), ...screens].map((screen) => sum(new Set([...atOnce, ...screen]))),
    ),
  };
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

/** Says what was built; `isTooBig` where a browser would load more than the limits. */
export function judgeDashboard({ gzipBytes, firstScreenGzipBytes }: Dashboard): {
  readonly text: string;
  readonly isTooBig: boolean;
} {
  const isTooBig = gzipBytes > dashboardLimitGzipBytes || firstScreenGzipBytes > firstScreenLimitGzipBytes;
  const first = `${kilobytes(firstScreenGzipBytes)} (of ${kilobytes(firstScreenLimitGzipBytes)}) gzip before a screen shows`;
  const all = `${kilobytes(gzipBytes)} (of ${kilobytes(dashboardLimitGzipBytes)}) in all`;
  const advice = isTooBig ? " That is more than the limit: what few screens need belongs behind an import()." : "";
  return { text: `Dashboard: ${first}, ${all}.${advice}`, isTooBig };
}
