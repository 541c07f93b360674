import { bonusReference } from "./bonuses.ts";
import { lateReference } from "./settlement.ts";

const reserved: readonly (readonly [prefix: string, of: string])[] = [
  [lateReference, "late settlements"],
  [bonusReference, "bonuses"],
];

/** Returns the reason why an adjustment can't have this reference. Undefined if it can. */
export function whyReserved(reference: string): string | undefined {
  const [prefix, of] = reserved.find(([start]) => reference.startsWith(start)) ?? [];
  return prefix === undefined ? undefined : `reference must not begin with "${prefix}", which ${of} have`;
}
