import type { AssetServer } from "#env.ts";

export interface Asset {
  readonly file: string;
  /** The headers of a static file, including its entity tag. The headers of a matching rule take precedence. */
  readonly headers: Headers;
  readonly rules: Headers;
}

type Headers = Readonly<Record<string, string>>;

interface Redirect {
  readonly location: string;
  readonly status: number;
  readonly rules: Headers;
}

export interface Assets {
  readonly files: Readonly<Record<string, Asset>>;
  readonly redirects: Readonly<Record<string, Redirect>>;
  /** Paths that the Worker answers even if a static file exists. `/api/*` matches everything below `/api/`. */
  readonly workerFirst: readonly string[];
}

/**
 * Serves static files as Cloudflare does. `files` returns a file's bytes, without content type or headers. Returns
 * undefined if the path has no file.
 */
export async function serveAsset(request: Request, assets: Assets, files: AssetServer): Promise<Response | undefined> {
  const { pathname, search } = new URL(request.url);
  const redirect = ownValue(assets.redirects, pathname);
  if (redirect !== undefined) {
    const { location, status, rules } = redirect;
    return new Response(null, { status, headers: { ...rules, location: location + search } });
  }
  const asset = ownValue(assets.files, pathname);
  if (asset === undefined) return undefined;
  if (request.method !== "GET" && request.method !== "HEAD") {
    return new Response(null, { status: 405, headers: { ...asset.rules, allow: "GET, HEAD" } });
  }
  return fileAnswer(request, asset, files);
}

export const isForWorker = ({ workerFirst }: Assets, path: string): boolean =>
  workerFirst.some((each) => (each.endsWith("/*") ? path.startsWith(each.slice(0, -1)) : path === each));

async function fileAnswer(request: Request, asset: Asset, files: AssetServer): Promise<Response> {
  const { file } = asset;
  const headers: Headers = { ...asset.headers, ...asset.rules };
  if (isKnown(request.headers.get("if-none-match"), headers.etag)) return new Response(null, { status: 304, headers });
  const found = await files.fetch(`http://files/${file.split("/").map(encodeURIComponent).join("/")}`, {
    method: request.method,
  });
  if (!found.ok) throw new Error(`the file of an asset is gone: ${file}`);
  const length = found.headers.get("content-length");
  return new Response(found.body, { headers: { ...headers, ...(length !== null && { "content-length": length }) } });
}

/** https://www.rfc-editor.org/rfc/rfc9110#field.if-none-match compares tags weakly. */
const isKnown = (tags: string | null, etag: string | undefined): boolean =>
  (tags ?? "").split(",").some((tag) => [etag, "*"].includes(tag.trim().replace(/^W\//, "")));

const ownValue = <T>(values: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
