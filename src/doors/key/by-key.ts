import type { RefusalCode } from "#domain/refusal.ts";
import type { Result } from "#domain/result.ts";
import type { Caller } from "#api/caller.ts";
import type { Ctx } from "#http/context.ts";
import { bodyRefusals, commonRefusals, keyRefusals, refusals } from "#http/endpoint.ts";
import type { KeyChecked } from "#operations/check-key.ts";
import type { PresentedKey } from "#operations/operation.ts";
import { changeByKey } from "./change-by-key.ts";
import { checkedKey } from "./checked-key.ts";

type Keyed = Ctx & { get(name: "key"): PresentedKey };

export const readRefusals = (...own: RefusalCode[]) =>
  refusals(["missing_key", ...keyRefusals, ...own, ...commonRefusals]);

export const changeRefusals = (...own: RefusalCode[]) =>
  refusals(["missing_key", ...keyRefusals, ...bodyRefusals, ...own, ...commonRefusals]);

/** Reads for the call's key, once it was checked. */
export async function readBy<Read>(
  c: Keyed,
  read: (checked: KeyChecked) => Promise<Result<Read>>,
): Promise<Result<Read>> {
  const checked = await checkedKey(c, c.get("key"));
  return checked.ok ? read(checked.value) : checked;
}

/** A change by the call's key, once it was checked. */
export const changeBy = <Made>(c: Keyed, change: (by: Caller) => Promise<Result<Made>>): Promise<Result<Made>> =>
  readBy(c, () => change(changeByKey(c, c.get("key")).call));
