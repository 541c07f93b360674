import type { Ctx } from "./app-env.ts";

/** The client's address as Cloudflare saw it; a client can't set it. */
export const addressOf = (c: Ctx): string => c.req.header("CF-Connecting-IP") ?? "unknown";

/** Who is counted: an address, or the /64 of an IPv6 one, since a single subscriber has a whole /64. */
export const callerOf = (c: Ctx): string => network(addressOf(c));

export function network(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}
