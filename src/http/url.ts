import { storedPageUrl } from "../domain/page-url.ts";

const maxLength = 2048;

let latest: { readonly text: string; readonly url: URL | null } | undefined;

/** A click's rules and its record ask for the same address over and over. Nobody changes what they get. */
function parse(text: string): URL | null {
  if (latest?.text !== text) latest = { text, url: URL.parse(text) };
  return latest.url;
}

/** An address that a visitor's browser can have been at: http or https, nobody's credentials in it, of bounded length. */
export function isWebUrl(text: string): boolean {
  const url = text.length <= maxLength ? parse(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

/** The partner's code in a landing URL. */
export const affOf = (text: string): string | undefined => parse(text)?.searchParams.get("aff")?.trim() || undefined;

/** What is kept of a page's address. */
export function storedUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? null : parse(text);
  return url === null ? undefined : storedPageUrl(url);
}
