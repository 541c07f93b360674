import { dateUtc } from "#domain/calendar.ts";
import { type Networks, networksOf } from "#domain/ip-address.ts";
import { hashSecretOf } from "#env.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { clientAddress } from "./client-address.ts";
import type { Ctx } from "./context.ts";
import { digest } from "./keyed-digest.ts";

/** Cached, because a flood of requests comes from few addresses and should cost little. */
const cached = new BoundedCache<Networks>(1_000);

/**
 * Returns keys for the caller's networks, under which counters are stored. The keys change every day and don't reveal
 * the address.
 */
export function networkKeys(c: Ctx): Networks {
  const address = clientAddress(c);
  const day = dateUtc(c.get("call").at);
  const dayAndAddress = `${day} ${address}`;
  const known = cached.get(dayAndAddress);
  if (known !== undefined) return known;
  const { device, site } = networksOf(address);
  const key = (network: string) => digest(hashSecretOf(c.env), "address", day, network);
  return cached.set(dayAndAddress, { device: key(device), site: site && key(site) });
}
