import { webUrl } from "../src/fields.ts";
import { isSecure } from "../src/secure.ts";
import { UsageError } from "./flags.ts";

const whereToSet = "Set TRIBUTARY_URL or pass --url: https://tributary.example";

/** Returns the service's address from the flag or the environment, with a trailing slash. Throws a `UsageError`. */
export function readAddress(flag: string | undefined): string {
  const address = flag ?? process.env.TRIBUTARY_URL ?? "";
  if (address === "") throw new UsageError(`No address. ${whereToSet}`);
  const url = webUrl(address);
  if (url && isSecure(url) && !/[?#]/.test(address)) return url.href.replace(/\/*$/, "/");
  const meant = meantBy(address, url);
  const hint = meant === undefined ? whereToSet : `Did you mean ${meant}?`;
  throw new UsageError(
    `The address must start with https:// (http:// only on localhost), without credentials, ? or #. ${hint}`,
  );
}

function meantBy(address: string, url: URL | undefined): string | undefined {
  if (url?.protocol === "http:" && !isSecure(url)) return `https:${address.slice("http:".length)}`;
  if (url) return address.replace(/[?#].*/, "");
  const bare = /^[\w.-]+(:\d+)?(\/[\w/.-]*)?$/.test(address) ? webUrl(`http://${address}`) : undefined;
  if (bare && isSecure(bare)) return `http://${address}`;
  return bare?.hostname.includes(".") ? `https://${address}` : undefined;
}

const ownPath = /\/(?:docs|app|api|js|openapi\.json|healthz|readyz)(?:\/.*)?$/;

/** A hint for an address where no Tributary service answered. `location` is the target of a redirect. */
export function hintOf(base: string, target: string, location: string | null): string {
  const path = target.slice(base.length - 1);
  const moved = location === null ? undefined : resolved(location, target);
  if (moved?.endsWith(path)) return `It redirects: use --url ${moved.slice(0, -path.length)}`;
  const { origin, pathname } = new URL(base);
  const ownPart = ownPath.exec(pathname);
  if (ownPart) {
    const shorter = origin + pathname.slice(0, ownPart.index);
    return `${pathname.slice(ownPart.index, -1)} is a path within the service: use --url ${shorter}`;
  }
  return pathname === "/" ? "Check --url." : `Check --url: is ${pathname.slice(0, -1)} part of the address?`;
}

function resolved(location: string, base: string): string | undefined {
  try {
    return new URL(location, base).href;
  } catch {
    return undefined;
  }
}
