import { createMiddleware } from "hono/factory";
import type { Refusal } from "#domain/refusal.ts";
import { checkKey } from "../check-key.ts";
import type { AppEnv, Ctx } from "../context.ts";
import { refusalHelp, setRotationHeaders, withWarnings } from "../key-rotation.ts";
import { logError } from "../log.ts";
import { countFailedKey } from "../rate-limits.ts";
import { isReadMethod } from "../request.ts";
import { isTest } from "../schema/fields.ts";
import { linkBase } from "../transport.ts";
import { envelope } from "./envelope.ts";
import { keyRefusals } from "./responses.ts";
import { entryOf, type RefusalStyle, retryAfterOf } from "./table.ts";

export const refuseIn = (style: RefusalStyle) =>
  createMiddleware<AppEnv>((c, next) => {
    c.set("refusalStyle", style);
    return next();
  });

/** Sends the refusal in the endpoint's error format. Counts the call if its key is wrong. */
export async function refuse(c: Ctx, refused: Refusal) {
  const isKeyWrong = refused.code === "invalid_key";
  const refusal = isKeyWrong ? await countFailedKey(c) : refused;
  Object.assign(c.get("log"), { refusal, isKeyWrong });
  const retryAfter = retryAfterOf(refusal);
  if (retryAfter !== undefined) c.header("Retry-After", String(retryAfter));
  if (refusal.code === "method_not_allowed") c.header("Allow", refusal.allow.join(", "));
  if (refusal.code === "key_retired") setRotationHeaders(c, refusal.retiredAt);

  const body = envelope(refusal, c.get("refusalStyle"), refusalHelp(refusal, linkBase(c)));
  const { status } = entryOf(refusal.code);
  // A rate-limited call gets no warnings, because its key may not have been checked. A retired key needs none.
  return c.json(
    refusal.code === "rate_limited" || refusal.code === "key_retired" ? body : withWarnings(c, body),
    status,
  );
}

/**
 * Refuses an invalid call. If its key is wrong, retired or not allowed to make the call, refuses for that reason
 * instead. Only invalid calls take the time of this check.
 */
export async function refuseAfterKeyCheck(c: Ctx, refusal: Refusal) {
  const key = c.get("key");
  if (key === undefined) return refuse(c, refusal);
  const checked = await checkKey(c, key, mayBeTest(c));
  const isWrongKey = !checked.ok && keyRefusals.some((code) => code === checked.refusal.code);
  return refuse(c, isWrongKey ? checked.refusal : refusal);
}

/** True if the call is for the test book, or its body can't be read, so that the book is unknown. */
function mayBeTest(c: Ctx): boolean {
  if (isReadMethod(c.req.method)) return c.req.query("test_mode") === "true";
  const body = c.get("body");
  return body === undefined || isTest(body);
}

export function refuseError(c: Ctx, error: Error) {
  logError(c, error);
  return refuse(c, { code: "internal" });
}
