import { randomInt } from "node:crypto";
import { idsPerRange } from "#domain/shard.ts";

const slotMs = 10;
const idsPerSlot = 400_000;
const slots = Math.floor((idsPerRange / 2 - 2 ** 33) / idsPerSlot);

/**
 * A random id for a row in the home database, longer than 32 bits. Later ids are lower, so they are lower than those of
 * the Ledger, which assigns ids above all that it finds when it starts.
 */
export function ownId(): number {
  const slot = Math.floor((Date.now() - Number(process.env.TEST_STARTED_AT ?? 0)) / slotMs);
  return idsPerRange / 2 - (slot % slots) * idsPerSlot - randomInt(idsPerSlot);
}
