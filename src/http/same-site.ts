import type { Refusal } from "#domain/refusal.ts";
import type { Ctx } from "./context.ts";

/**
 * For a GET that writes or downloads: another site's page can make a browser send it, with its cookie, by a link alone. Only
 * browsers send the header, and none sends a key by itself, as it does with the password of a proxy.
 */
export function refusalOfSite({ req }: Ctx): Refusal | undefined {
  if (/^Bearer /i.test(req.header("Authorization") ?? "")) return undefined;
  const site = req.header("Sec-Fetch-Site") ?? "none";
  return site === "same-origin" || site === "none" ? undefined : { code: "cross_site" };
}
