import { isAddress, isIn, networkOf } from "../domain/ip-address.ts";
import { addressFrom, trustedProxiesOf } from "../env.ts";
import type { Ctx } from "./context.ts";

const unknown = "unknown";

/**
 * The client's address. Anybody can send `CF-Connecting-IP` and `X-Forwarded-For`, so they count only where Cloudflare or
 * a trusted proxy has set them.
 */
export function addressOf(c: Ctx): string {
  const request = c.req.raw;
  const address = addresses.get(request) ?? readAddress(c);
  addresses.set(request, address);
  return address;
}

/** A click asks for it more than once, and the runtime makes `cf` anew each time. */
const addresses = new WeakMap<Request, string>();

function readAddress(c: Ctx): string {
  const isProxied = isFromTrustedProxy(c);
  const isTold = addressFrom(c.env) === "cloudflare" || isProxied;
  const told = isTold ? c.req.header("CF-Connecting-IP") : undefined;
  return told ?? (isProxied ? forwardedFor(c) : peerOf(c));
}

/**
 * Each proxy appends its caller's address to `X-Forwarded-For`. So the first address from the right that is no trusted
 * proxy's is the client's, and those to its left are the client's own claims.
 */
function forwardedFor(c: Ctx): string {
  let address = peerOf(c);
  const hops = c.req.header("X-Forwarded-For")?.split(",") ?? [];
  for (const hop of hops.reverse()) {
    const next = withoutPort(hop.trim());
    if (!isAddress(next)) return address;
    address = next;
    if (!isIn(trustedProxiesOf(c.env), address)) return address;
  }
  return address;
}

/** `192.0.2.1:80` and `[2001:db8::1]:80` have one; so may what a proxy appends. */
const withoutPort = (peer: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(peer)?.[1] ?? /^([^:]+):\d+$/.exec(peer)?.[1] ?? peer;

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
