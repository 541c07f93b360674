import { isAddress, isIn, parseCidrs } from "#domain/ip-address.ts";
import { addressFrom, clientAddressHeaderOf, trustedProxiesOf } from "#env.ts";
import type { Ctx } from "./context.ts";

const unknown = "unknown";
const thisMachine = parseCidrs("127.0.0.0/8,::1") ?? [];

/**
 * The client's IP address. Any client can send headers with an address, so only headers from Cloudflare or a trusted
 * proxy count.
 */
export function clientAddress(c: Ctx): string {
  if (addressFrom(c.env) === "cloudflare") return addressIn(c, "cf-connecting-ip") ?? unknown;
  if (!isFromTrustedProxy(c)) return peerOf(c);
  const header = clientAddressHeaderOf(c.env);
  return header === "x-forwarded-for" ? forwardedFor(c) : (addressIn(c, header) ?? peerOf(c));
}

function addressIn(c: Ctx, header: string): string | undefined {
  const address = withoutPort(c.req.header(header)?.trim() ?? "");
  return isAddress(address) ? address : undefined;
}

/**
 * Each proxy appends the address of its caller to `X-Forwarded-For`. So the client's address is the rightmost one that
 * isn't a trusted proxy's. Addresses to its left were sent by the client and prove nothing.
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

/** Removes a port, which some proxies append: `192.0.2.1:80`, `[2001:db8::1]:80`. */
const withoutPort = (peer: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(peer)?.[1] ?? /^([^:]+):\d+$/.exec(peer)?.[1] ?? peer;

export function isFromTrustedProxy(c: Ctx): boolean {
  const proxies = trustedProxiesOf(c.env);
  return proxies.length > 0 && isIn(proxies, peerOf(c));
}

/**
 * The address of the connection's peer, which the runtime of a self-hosted service provides in `cf`. Unknown elsewhere:
 * on a development server, for example, callers could set `cf`.
 */
function peerOf({ req, env }: Ctx): string {
  if (addressFrom(env) !== "peer") return unknown;
  const known = peers.get(req.raw);
  if (known !== undefined) return known;
  const peer: unknown = req.raw.cf?.clientIp;
  const address = typeof peer === "string" ? (/^\[?(.+?)\]?:\d+$/.exec(peer)?.[1] ?? unknown) : unknown;
  peers.set(req.raw, address);
  return address;
}

/** Cached, because the runtime builds `cf` at each access, and a click needs the address more than once. */
const peers = new WeakMap<Request, string>();

/** True if the connection is from this machine, or `ADDRESS_FROM` isn't `peer`. */
export const isPeerLocal = (c: Ctx): boolean => addressFrom(c.env) !== "peer" || isIn(thisMachine, peerOf(c));
