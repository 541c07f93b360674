import type { Result } from "#domain/result.ts";
import { ok, refused } from "#domain/result.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import type { KeyChecked } from "#operations/check-key.ts";
import type { PresentedKey } from "#operations/operation.ts";

/** Live, with the scope that the route needs. Afterwards it is known where the program is. */
export async function checkedKey(c: Ctx, key: PresentedKey): Promise<Result<KeyChecked>> {
  const checked = await callLedger(c, key, (ledger) => ledger.run({ ...c.get("call"), kind: "key", key }));
  return checked.ok ? ok(checked.answer) : refused(checked.refusal);
}
