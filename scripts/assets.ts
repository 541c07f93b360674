import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { getMimeType } from "hono/utils/mime";
import type { Asset, Assets } from "../runtime/assets.ts";
import { filesIn } from "../sdk/files.ts";

/** https://developers.cloudflare.com/workers/static-assets/headers/ and redirects/, as far as our files use them. */
const rulesFile = "_headers";
const redirectsFile = "_redirects";

/** What Cloudflare gives to a file that no rule mentions. */
const defaultCaching = "public, max-age=0, must-revalidate";

/** Looks through the folder of assets, and works out what each is answered with. */
export async function readAssets(directory: string, workerFirst: readonly string[]): Promise<Assets> {
  const rules = parseHeaders(await readText(join(directory, rulesFile)));
  const names = (await filesIn(directory)).filter((name) => name !== rulesFile && name !== redirectsFile);
  const files = await Promise.all(names.map(async (name) => [pathOf(name), await assetOf(directory, name, rules)]));
  return {
    files: Object.fromEntries(files) as Record<string, Asset>,
    redirects: parseRedirects(await readText(join(directory, redirectsFile))),
    workerFirst,
  };
}

/** `app/index.html` is served at `/app/`. */
const pathOf = (name: string): string => `/${name.replace(/(^|\/)index\.html$/, "$1")}`;

async function assetOf(directory: string, file: string, rules: readonly HeaderRule[]): Promise<Asset> {
  const digest = createHash("sha256")
    .update(await readFile(join(directory, file)))
    .digest("hex");
  const headers: Record<string, string> = {
    "content-type": getMimeType(file) ?? "application/octet-stream",
    "cache-control": defaultCaching,
    etag: `"${digest.slice(0, 32)}"`,
  };
  const path = pathOf(file);
  for (const rule of rules) if (isMatch(rule.pattern, path)) Object.assign(headers, rule.headers);
  return { file, headers };
}

interface HeaderRule {
  readonly pattern: string;
  readonly headers: Readonly<Record<string, string>>;
}

const isMatch = (pattern: string, path: string): boolean =>
  pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;

/** A path on a line of its own, then a header on each indented line. */
export function parseHeaders(text: string): readonly HeaderRule[] {
  const blocks = text
    .split(/\n(?=\/)/)
    .map((block) => block.trim())
    .filter((block) => block.startsWith("/"));
  return blocks.map((block) => {
    const [pattern = "", ...lines] = block.split("\n").map((line) => line.trim());
    if (/[*:].*[*:]|\*./.test(pattern)) throw new Error(`${rulesFile}: no rule here matches ${pattern}`);
    const headers = lines.filter(Boolean).map((line): [string, string] => {
      const [, name = "", value = ""] = /^([\w-]+):\s*(.+)$/.exec(line) ?? [];
      if (name === "") throw new Error(`${rulesFile}: ${line} is no header`);
      return [name.toLowerCase(), value];
    });
    return { pattern, headers: Object.fromEntries(headers) };
  });
}

function parseRedirects(text: string): Assets["redirects"] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [from = "", location = "", status = "302"] = line.trim().split(/\s+/);
      return [from, { location, status: Number(status) }];
    }),
  );
}

const readText = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");
