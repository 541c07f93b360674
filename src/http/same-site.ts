import type { Refusal } from "#domain/refusal.ts";
import type { Ctx } from "./context.ts";
import { originOf } from "./transport.ts";

/**
 * For a GET that writes or downloads: another site's page can make a browser send it, with its cookie, by a link alone. Only
 * browsers send these headers, older ones just `Origin`, and none sends a key by itself, as it does with the password of a
 * proxy.
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
