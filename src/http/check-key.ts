import { ok, type Result, refused } from "#domain/result.ts";
import type { KeyChecked } from "#operations/check-key.ts";
import type { PresentedKey } from "#operations/operation.ts";
import { callLedger } from "./call-ledger.ts";
import type { Ctx } from "./context.ts";

/** Lets the Ledger check a key and its scope. Afterwards, the request's `log` contains the program's shard. */
export async function checkKey(c: Ctx, key: PresentedKey, isTest = false): Promise<Result<KeyChecked>> {
  const checked = await callLedger(c, key, (ledger) => ledger.run({ ...c.get("call"), kind: "key", key, isTest }));
  return checked.ok ? ok(checked.answer) : refused(checked.refusal);
}
