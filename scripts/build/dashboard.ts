import { execFile } from "node:child_process";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { pageHeaders } from "#http/page-headers.ts";
import { node } from "../root.ts";

export interface Dashboard {
  readonly gzipBytes: number;
  /** The size of what loads before the first screen is shown: the page, its static imports, and the largest screen. */
  readonly firstScreenGzipBytes: number;
}

interface App {
  readonly title: string;
  readonly limitGzipBytes: number;
  readonly firstScreenLimitGzipBytes: number;
}

/** The path below which each app is served. */
export const apps = {
  app: { title: "Dashboard", limitGzipBytes: 317_200, firstScreenLimitGzipBytes: 60_345 },
  partner: { title: "Partner's app", limitGzipBytes: 82_500, firstScreenLimitGzipBytes: 40_000 },
  embed: { title: "Embedded page", limitGzipBytes: 40_000, firstScreenLimitGzipBytes: 40_000 },
} as const satisfies Record<string, App>;
export type AppName = keyof typeof apps;

export async function buildDashboard(publicDirectory: string, app: AppName): Promise<Dashboard> {
  const bundle = join(import.meta.dirname, "dashboard-bundle.ts");
  // Runs in a separate process, because Vite takes NODE_ENV from the environment and includes development code for any
  // value other than production.
  const { stdout, stderr } = await promisify(execFile)(node, [bundle, app, join(publicDirectory, app)], {
    env: { ...process.env, NODE_ENV: "production", NODE_OPTIONS: "" },
  });
  process.stderr.write(stderr);
  const headers = Object.entries(pageHeaders).map(([name, value]) => `  ${name}: ${value}\n`);
  await appendFile(
    join(publicDirectory, "_headers"),
    `\n/${app}/*\n${headers.join("")}\n/${app}/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n`,
  );
  return JSON.parse(stdout) as Dashboard;
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

export function judgeDashboard(
  app: AppName,
  { gzipBytes, firstScreenGzipBytes }: Dashboard,
): { readonly text: string; readonly isTooBig: boolean } {
  const { title, limitGzipBytes, firstScreenLimitGzipBytes } = apps[app];
  const isTooBig = gzipBytes > limitGzipBytes || firstScreenGzipBytes > firstScreenLimitGzipBytes;
  const first = `${kilobytes(firstScreenGzipBytes)} (of ${kilobytes(firstScreenLimitGzipBytes)}) gzip before a screen shows`;
  const all = `${kilobytes(gzipBytes)} (of ${kilobytes(limitGzipBytes)}) in all`;
  const advice = isTooBig
    ? " That is more than the limit: what few screens need belongs behind an import(), and what all need raises the limit."
    : "";
  return { text: `${title}: ${first}, ${all}.${advice}`, isTooBig };
}
