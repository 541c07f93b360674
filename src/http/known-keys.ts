import { dayMs } from "#domain/calendar.ts";
import type { Ctx } from "./context.ts";
import { perEnv } from "./per-env.ts";
import { Recently } from "./recently.ts";

const minuteMs = 60_000;
const maxKeys = 10_000;

interface Known {
  /** Hashes of keys that the Ledger has accepted. */
  readonly right: Recently;
  /** Networks that have sent too many wrong keys. */
  readonly failing: Recently;
}

const known = perEnv((): Known => ({ right: new Recently(dayMs, maxKeys), failing: new Recently(minuteMs, maxKeys) }));

export function noteRightKey(c: Ctx): void {
  const key = c.get("key");
  if (key !== undefined) known(c).right.note(key.hash, c.get("call").at);
}

/** True if the Ledger has accepted the key in the last day. */
export const isRightKey = (c: Ctx, keyHash: string): boolean => known(c).right.has(keyHash, c.get("call").at);

export const noteFailingNetwork = (c: Ctx, network: string): void => known(c).failing.note(network, c.get("call").at);

/**
 * False if the key comes from a network with too many wrong keys, unless the key is known to be valid. So an attacker
 * can't lock out valid keys from the same network.
 */
export function mayBeRight(c: Ctx, keyHash: string, networks: readonly string[]): boolean {
  const { right, failing } = known(c);
  const { at } = c.get("call");
  return !networks.some((network) => failing.has(network, at)) || right.has(keyHash, at);
}
