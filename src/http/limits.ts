import { dateUtc } from "../domain/calendar.ts";
import type { Refusal } from "../domain/refusal.ts";
import { hashSecretOf, type LimitName, limitOf } from "../env.ts";
import { callerOf } from "./address.ts";
import type { Ctx } from "./app-env.ts";
import { digest } from "./digest.ts";
import { logError } from "./log.ts";

const periodSeconds = 60;

/** The binding says no, and not for how much longer; a whole period is always enough. */
const pastLimit: Refusal = { code: "rate_limited", retryAfterSeconds: periodSeconds };

const find = (c: Ctx, name: LimitName) => limitOf(c.env, name, c.req.url);

/** A counter that fails stops nobody: a sale is worth more than its limit. */
async function admits(c: Ctx, name: LimitName, who: string): Promise<boolean> {
  try {
    return await find(c, name).admits(who);
  } catch (error) {
    logError(c, error);
    return true;
  }
}

/** Says how often a route may be called; no figure of the caller's own, which an answer could carry to somebody else. */
export function announceLimit(c: Ctx, name: LimitName): void {
  const { perMinute } = find(c, name);
  c.header("RateLimit-Policy", `"${name}";q=${perMinute};w=${periodSeconds}`);
  c.header("X-RateLimit-Limit", String(perMinute));
}

/** An address that is counted, as a digest of its day: counters are stored, and tell nobody where a call came from. */
const addressKey = (c: Ctx): string => digest(hashSecretOf(c.env), "address", dateUtc(c.var.call.at), callerOf(c));

/** Counts the call against its key, or against its address where it has none. Undefined: it may go on. */
export const countCall = async (c: Ctx, name: LimitName): Promise<Refusal | undefined> =>
  (await admits(c, name, c.var.key?.hash ?? addressKey(c))) ? undefined : pastLimit;

/**
 * Wrong keys are counted when they are found to be wrong: to stop an address beforehand would also stop the right keys
 * of whoever shares it.
 */
export const countFailedKey = async (c: Ctx): Promise<Refusal> =>
  (await admits(c, "failedKey", addressKey(c))) ? { code: "invalid_key" } : pastLimit;
