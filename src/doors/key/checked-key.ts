import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { ok, type Result, refused } from "#domain/result.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { AppEnv, Ctx } from "#http/context.ts";
import { refuse } from "#http/refusal/refuse.ts";
import type { KeyChecked } from "#operations/check-key.ts";
import type { PresentedKey } from "#operations/operation.ts";

/** Live, with the scope that the route needs. Afterwards it is known where the program is. */
export async function checkedKey(c: Ctx, key: PresentedKey, isTest = false): Promise<Result<KeyChecked>> {
  const checked = await callLedger(c, key, (ledger) => ledger.run({ ...c.get("call"), kind: "key", key, isTest }));
  return checked.ok ? ok(checked.answer) : refused(checked.refusal);
}

type Keyed = MiddlewareHandler<AppEnv & { Variables: { key: PresentedKey } }>;

/** Checks the key before a large body is read: a key that was made up costs no memory. */
export function withCheckedKey<Rest>({ middleware, ...rest }: Rest & { readonly middleware: [Keyed] }) {
  const check: Keyed = createMiddleware(async (c, next) => {
    const checked = await checkedKey(c, c.get("key"));
    return checked.ok ? next() : refuse(c, checked.refusal);
  });
  const steps: [Keyed, Keyed] = [...middleware, check];
  return { ...rest, middleware: steps };
}
