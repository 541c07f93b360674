import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { getMimeType, mimes } from "hono/utils/mime";
import type { Asset, Assets } from "../../runtime/assets.ts";
import { filesIn } from "../../sdk/files.ts";

/**
 * The file with rules for response headers. A part of Cloudflare's format is supported:
 * https://developers.cloudflare.com/workers/static-assets/headers/ and redirects/.
 */
const rulesFile = "_headers";
const redirectsFile = "_redirects";

const types = { ...mimes, md: "text/markdown; charset=utf-8" };

/** Cloudflare's default for files without a matching rule. */
const defaultCaching = "public, max-age=0, must-revalidate";

export async function readAssets(directory: string, workerFirst: readonly string[]): Promise<Assets> {
  const rules = parseHeaders(await readText(join(directory, rulesFile)));
  const names = (await filesIn(directory)).filter((name) => name !== rulesFile && name !== redirectsFile);
  const files = await Promise.all(names.map(async (name) => [pathOf(name), await assetOf(directory, name, rules)]));
  const redirects = [...parseRedirects(await readText(join(directory, redirectsFile))), ...names.flatMap(toIndex)];
  return {
    files: Object.fromEntries(files) as Record<string, Asset>,
    redirects: Object.fromEntries(
      redirects.map(({ from, ...redirect }) => [from, { ...redirect, rules: headersOf(from, rules) }]),
    ),
    workerFirst,
  };
}

const pathOf = (name: string): string => `/${name.replace(/(^|\/)index\.html$/, "$1")}`;

/** Redirects a page's other paths to the path that serves the page. */
function toIndex(name: string): readonly Redirect[] {
  const [, folder] = /^(.+)\/index\.html$/.exec(name) ?? [];
  if (folder === undefined) return [];
  const paths = [`/${folder}`, `/${folder}/index`, `/${folder}/index.html`];
  return paths.map((from) => ({ from, location: `/${folder}/`, status: 307 }));
}

async function assetOf(directory: string, file: string, rules: readonly HeaderRule[]): Promise<Asset> {
  const digest = createHash("sha256")
    .update(await readFile(join(directory, file)))
    .digest("hex");
  return {
    file,
    headers: {
      "content-type": getMimeType(file, types) ?? "application/octet-stream",
      "cache-control": defaultCaching,
      etag: `"${digest.slice(0, 32)}"`,
    },
    rules: headersOf(pathOf(file), rules),
  };
}

/** The headers of a path. If several rules set a header, the last one wins. */
function headersOf(path: string, rules: readonly HeaderRule[]): Readonly<Record<string, string>> {
  const matching = rules.filter(({ pattern }) => isMatch(pattern, path));
  return Object.assign({}, ...matching.map(({ headers }) => headers));
}

interface HeaderRule {
  readonly pattern: string;
  readonly headers: Readonly<Record<string, string>>;
}

const isMatch = (pattern: string, path: string): boolean =>
  pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;

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

interface Redirect {
  readonly from: string;
  readonly location: string;
  readonly status: number;
}

function parseRedirects(text: string): readonly Redirect[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const [from = "", location = "", status = "302"] = line.trim().split(/\s+/);
    return { from, location, status: Number(status) };
  });
}

const readText = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");
