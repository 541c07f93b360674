import { storedPageUrl } from "../../domain/page-url.ts";
import { BoundedCache } from "../bounded-cache.ts";

const maxLength = 2048;

/** An address as it was read. Nobody changes what they get. */
interface Parsed {
  readonly url: URL | null;
  /** Made when it is first asked for. */
  stored?: string;
}

/** Landing pages and referrers come again and again, and a click's rules and its record ask for each several times. */
const parsed = new BoundedCache<Parsed>(1_000);

const parse = (text: string): Parsed => parsed.get(text) ?? parsed.keep(text, { url: URL.parse(text) });

/** An address that a visitor's browser can have been at: http or https, nobody's credentials in it, of bounded length. */
export function isWebUrl(text: string): boolean {
  const url = text.length <= maxLength ? parse(text).url : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

/** The partner's code in a landing URL. */
export const affOf = (text: string): string | undefined =>
  parse(text).url?.searchParams.get("aff")?.trim() || undefined;

/** What is kept of a page's address. */
export function storedUrl(text: string | undefined): string | undefined {
  const address = text === undefined ? undefined : parse(text);
  if (!address?.url) return undefined;
  address.stored ??= storedPageUrl(address.url);
  return address.stored;
}
