import { attempt } from "./attempt.ts";
import { cookieDomain } from "./config.ts";

/** Seconds, as cookies have it. */
export const day = 86_400;

/** Where the page has no storage either, what is put here lasts as long as the page. */
export const shelf: Record<string, string> = attempt(() => localStorage) || {};

/** The first value of that name that is of that form: others may have written here too. */
export function read(name: string, form = "[\\w.-]+"): string | undefined {
  const [expires, kept] = (shelf[name] || "").split(" ");
  const all = `${attempt(() => document.cookie)}; ${Number(expires) > Date.now() && kept}`;
  return (RegExp(`(?:^|; )${name}=(${form})(?:;|$)`).exec(all) || [])[1];
}

/**
 * The tag's domain, else the top level, which no browser takes; then from `example.com` to the whole host name; and none,
 * which is all that `localhost` has.
 */
const domains = location.hostname
  .split(".")
  .map((_, i, labels) => (!i && cookieDomain) || labels.slice(-i - 1).join("."))
  .concat("");
let writable = domains;

/**
 * On the broadest domain that the browser takes, which is the first that lets the value be read again. That is tried
 * once: to read what was just written is what costs the page most.
 */
export function write(name: string, value: string, seconds: number): void {
  // Nothing that adds an attribute to a cookie.
  if (!/^[\w.-]+$/.test(value)) return;
  const domain = writable.find((domain) => {
    put(name, value, seconds, domain);
    return !writable[1] || read(name) === value;
  });
  if (domain === undefined) attempt(() => (shelf[name] = `${Date.now() + seconds * 1000} ${name}=${value}`));
  else writable = [domain];
}

export function erase(name: string): void {
  for (const domain of domains) put(name, "", 0, domain);
  delete shelf[name];
}

function put(name: string, value: string, seconds: number, domain: string): void {
  const scope = (domain && `;domain=${domain}`) + (location.protocol === "https:" ? ";secure" : "");
  attempt(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is asynchronous, and not everywhere
    document.cookie = `${name}=${value};path=/;max-age=${seconds};samesite=lax${scope}`;
  });
}
