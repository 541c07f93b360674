import type { Refusal } from "#domain/refusal.ts";
import type { Ctx } from "./context.ts";
import { originOf } from "./transport.ts";

/**
 * Refuses a GET that another site caused. Use it for a GET that writes or downloads, because a link on another site
 * would make a user's browser send the GET with the user's cookie. Browsers state the request's origin in
 * `Sec-Fetch-Site`, older ones only in `Origin`. A call with a key (`Bearer`) passes, because browsers never add a key
 * automatically. A proxy's password (`Basic`) doesn't pass, because browsers do add it.
 */
export function refusalOfSite(c: Ctx): Refusal | undefined {
  const { req } = c;
  if (/^Bearer /i.test(req.header("Authorization") ?? "")) return undefined;
  return isForeign(c, req.header("Sec-Fetch-Site"), req.header("Origin")) ? { code: "cross_site" } : undefined;
}

function isForeign(c: Ctx, site: string | undefined, origin: string | undefined): boolean {
  if (site === undefined) return origin !== undefined && origin !== originOf(c);
  return site !== "same-origin" && site !== "none";
}
