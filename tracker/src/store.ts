import { attempt } from "./attempt.ts";
import { attribute } from "./config.ts";
import { documentProperty } from "./document-property.ts";

/** In seconds, like a cookie's max-age. */
export const day = 86_400;

/**
 * Stores values in addition to cookies. Falls back to memory if the page has no storage. In a frame of another origin,
 * storage isn't first-party, so memory is used there too.
 */
export const shelf: Record<string, string> = attempt(() => (top as Window).document && localStorage) || {};

/**
 * Returns the first stored value that matches `form`, because other scripts may use the same name. If `form` has a
 * group, returns the group.
 */
export const read = (name: string, form = "[\\w.-]+"): string | undefined => {
  const [expires, kept] = (shelf[name] || "").split(" ");
  const all = `; ${documentProperty("cookie")}; ${+(expires as string) > Date.now() && kept};`;
  return (all.match(`; ${name}=(${form});`) || []).pop();
};

/**
 * Cookie attributes that set a domain, in the order to try. First the tag's domain or, if it has none, the top-level
 * domain, which browsers reject. Then from `example.com` up to the full host. Last no domain, which `localhost`
 * requires.
 */
const domains = location.hostname
  .split(".")
  // biome-ignore lint/style/useTemplate: compresses better
  .map((_, i, labels) => ";domain=" + ((!i && attribute("cookie-domain")) || labels.slice(-i - 1).join(".")))
  .concat(";");
let writable = domains;

/**
 * Writes a cookie to the broadest domain that the browser accepts. To find that domain, it reads the value back. It
 * does so only once, because such a read is the slowest step on the page.
 */
export const write = (name: string, value: string, seconds: number): void => {
  // Prevents a value from adding cookie attributes.
  if (!/^[\w.-]+$/.test(value)) return;
  // Erases an older cookie first: with an equal value, it would make any domain look writable.
  if (writable[1]) erase(name);
  const isWritten = writable.some((domain) => {
    put(name, value, seconds, domain);
    // biome-ignore lint/suspicious/noAssignInExpressions: a separate statement would take more bytes
    return (!writable[1] || read(name) === value) && (writable = [domain]);
  });
  if (!isWritten) attempt(() => (shelf[name] = `${Date.now() + seconds * 1000} ${name}=${value}`));
};

export const erase = (name: string): void => {
  for (const domain of domains) put(name, "", 0, domain);
  delete shelf[name];
};

/** `domain` is `;domain=…`, or `;` for no domain. */
export const put = (name: string, value: string, seconds: number, domain: string): void => {
  attempt(
    () =>
      // `https:` is longer than `http:`.
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous, and some browsers lack it
      (document.cookie = `${name}=${value};path=/;max-age=${seconds};samesite=lax${domain}${location.protocol[5] ? ";secure" : ""}`),
  );
};
