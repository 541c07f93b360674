import { storedPageUrl } from "#domain/page-url.ts";
import { BoundedCache } from "../bounded-cache.ts";

const maxLength = 2048;

interface Parsed {
  readonly url: URL | null;
  stored?: string | null;
}

/** Cached because pages recur, and each click parses its URLs several times. Don't mutate `url`. */
const parsed = new BoundedCache<Parsed>(1_000);

const parse = (text: string): Parsed => parsed.get(text) ?? parsed.set(text, { url: URL.parse(text) });

export function isWebUrl(text: string): boolean {
  const url = text.length <= maxLength ? parse(text).url : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

export const affOf = (text: string): string | null => parse(text).url?.searchParams.get("aff")?.trim() || null;

export function storedUrl(text: string | null): string | null {
  const page = text === null ? null : parse(text);
  if (!page?.url) return null;
  page.stored ??= storedPageUrl(page.url);
  return page.stored;
}
