import { attempt } from "./attempt.ts";
import { cookieDomain } from "./config.ts";
import { documentProperty } from "./document-property.ts";

/** Seconds, as cookies have it. */
export const day = 86_400;

/**
 * Where the page has no storage either, what is put here lasts as long as the page. So it does in a frame of another
 * origin's page, where only a cookie may reach the first party.
 */
export const shelf: Record<string, string> = attempt(() => (top as Window).document && localStorage) || {};

/** The first value of that name that is of that form: others may have written here too. */
export function read(name: string, form = "[\\w.-]+"): string | undefined {
  const [expires, kept] = (shelf[name] || "").split(" ");
  const all = `${documentProperty("cookie")}; ${+(expires as string) > Date.now() && kept}`;
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
  // The same value from before would be read again on any domain.
  if (writable[1]) erase(name);
  const isWritten = writable.some((domain) => {
    put(name, value, seconds, domain);
    // biome-ignore lint/suspicious/noAssignInExpressions: a statement for it weighs more
    return (!writable[1] || read(name) === value) && (writable = [domain]);
  });
  if (!isWritten) attempt(() => (shelf[name] = `${Date.now() + seconds * 1000} ${name}=${value}`));
}

export function erase(name: string): void {
  for (const domain of domains) put(name, "", 0, domain);
  delete shelf[name];
}

export function put(name: string, value: string, seconds: number, domain: string): void {
  attempt(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is asynchronous, and not everywhere
    document.cookie = `${name}=${value};max-age=${seconds};path=/;samesite=lax${domain && `;domain=${domain}`}${/^https/.test(location.href) ? ";secure" : ""}`;
  });
}
