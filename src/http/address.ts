import { isIn, networkOf } from "../domain/ip-address.ts";
import { addressFrom, trustedProxiesOf } from "../env.ts";
import type { Ctx } from "./app-env.ts";

const unknown = "unknown";

/**
 * The client's address. Anybody can send `CF-Connecting-IP`, so it counts only where Cloudflare or a trusted proxy has
 * set it.
 */
export function addressOf(c: Ctx): string {
  const isTold = addressFrom(c.env) === "cloudflare" || isFromTrustedProxy(c);
  return (isTold ? c.req.header("CF-Connecting-IP") : undefined) ?? peerOf(c);
}

/** Whether a proxy that TRUSTED_PROXIES names has sent the request. */
export function isFromTrustedProxy(c: Ctx): boolean {
  const proxies = trustedProxiesOf(c.env);
  return proxies.length > 0 && isIn(proxies, peerOf(c));
}

/** The other end of the connection, where workerd tells it. A development server takes `cf` from its callers. */
function peerOf({ req, env }: Ctx): string {
  const peer: unknown = addressFrom(env) === "workerd" ? req.raw.cf?.clientIp : undefined;
  return typeof peer === "string" ? (/^\[?(.+?)\]?:\d+$/.exec(peer)?.[1] ?? unknown) : unknown;
}

/** Who is counted. */
export const callerOf = (c: Ctx): string => networkOf(addressOf(c));
