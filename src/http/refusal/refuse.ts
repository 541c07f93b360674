import { createMiddleware } from "hono/factory";
import type { Refusal } from "../../domain/refusal.ts";
import { callLedger } from "../call-ledger.ts";
import type { AppEnv, Ctx } from "../context.ts";
import { refusalHelp, setRotationHeaders, withWarnings } from "../key-rotation.ts";
import { logError } from "../log.ts";
import { countFailedKey } from "../rate-limits.ts";
import { calledUrl } from "../transport.ts";
import { envelope } from "./envelope.ts";
import { type FailureStyle, failureOf, retryAfterOf } from "./table.ts";

/** From here on, whatever is refused is refused in this style. */
export const refuseIn = (style: FailureStyle) =>
  createMiddleware<AppEnv>((c, next) => {
    c.set("failureStyle", style);
    return next();
  });

/** Says no, in the endpoint's own style. */
export async function refuse(c: Ctx, refused: Refusal) {
  const refusal = refused.code === "invalid_key" ? await countFailedKey(c) : refused;
  c.get("notes").outcome = refusal.code;
  const retryAfter = retryAfterOf(refusal);
  if (retryAfter !== undefined) c.header("Retry-After", String(retryAfter));
  if (refusal.code === "method_not_allowed") c.header("Allow", refusal.allow.join(", "));
  if (refusal.code === "key_retired") setRotationHeaders(c, refusal.retiredAt);

  const body = envelope(refusal, c.get("failureStyle"), refusalHelp(refusal, calledUrl(c)));
  const { status } = failureOf(refusal.code);
  // A call refused for its rate did not have its key looked at, and a retired one needs no warning.
  return c.json(
    refusal.code === "rate_limited" || refusal.code === "key_retired" ? body : withWarnings(c, body),
    status,
  );
}

/** Says no to a faulty body; first, that the key which came with it is wrong. Only refusals pay for this question. */
export async function refuseAfterKeyCheck(c: Ctx, refusal: Refusal) {
  const key = c.get("key");
  const call = c.get("call");
  if (key === undefined) return refuse(c, refusal);
  const outcome = await callLedger(c, key, (ledger) => ledger.checkKey({ ...call, kind: "key", key }));
  const isWrongKey = !outcome.ok && (outcome.refusal.code === "invalid_key" || outcome.refusal.code === "key_retired");
  return refuse(c, isWrongKey ? outcome.refusal : refusal);
}

/** What nobody foresaw. The caller is told no more than that it happened. */
export function refuseError(c: Ctx, error: Error) {
  logError(c, error);
  return refuse(c, { code: "internal" });
}
