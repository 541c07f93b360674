import { randomInt } from "node:crypto";
import { idsPerRange } from "#domain/shard.ts";

const slotMs = 10;
const idsPerSlot = 400_000;
const slots = Math.floor((idsPerRange / 2 - 2 ** 33) / idsPerSlot);

/** The ids of the last slot. They aren't drawn again, because a large world draws thousands of ids in a slot. */
const drawn = { slot: -1, ids: new Set<number>() };

/**
 * A random id for a row in the home database, longer than 32 bits. The ids fall over time, so a new one is lower than
 * those of the Ledger, which assigns only ids above all that it found when it started.
 */
export function ownId(): number {
  const slot = Math.floor((Date.now() - Number(process.env.TEST_STARTED_AT ?? 0)) / slotMs);
  if (slot !== drawn.slot) {
    drawn.slot = slot;
    drawn.ids.clear();
  }
  for (;;) {
    const id = idsPerRange / 2 - (slot % slots) * idsPerSlot - randomInt(idsPerSlot);
    if (drawn.ids.has(id)) continue;
    drawn.ids.add(id);
    return id;
  }
}
