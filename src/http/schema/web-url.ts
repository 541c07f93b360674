import { type LandingCode, landingCode } from "#domain/landing.ts";
import { storedPageUrl } from "#domain/page-url.ts";
import { subIdIn } from "#domain/sub-id.ts";
import { BoundedCache } from "../bounded-cache.ts";

interface Parsed {
  readonly url: URL | null;
  stored?: string | null;
}

/** Cached, because the same pages recur, and each click parses its URLs several times. Don't mutate `url`. */
const parsed = new BoundedCache<Parsed>(1_000);

const parse = (text: string): Parsed => parsed.get(text) ?? parsed.set(text, { url: URL.parse(text) });

export function isWebUrl(text: string, maxLength = 2_048): boolean {
  const url = text.length <= maxLength ? parse(text).url : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

export function codeOf(text: string | null, codeParam: string | null): LandingCode {
  const url = text === null ? null : parse(text).url;
  return url === null ? { code: null, codeParam: null } : landingCode(url.searchParams, codeParam);
}

export function subIdOf(text: string | null): string | null {
  const url = text === null ? null : parse(text).url;
  return url === null ? null : subIdIn(url.searchParams);
}

export function storedUrl(text: string | null, codeParam: string | null = null): string | null {
  const page = text === null ? null : parse(text);
  if (!page?.url) return null;
  if (codeParam !== null) return storedPageUrl(page.url, codeParam);
  page.stored ??= storedPageUrl(page.url);
  return page.stored;
}
