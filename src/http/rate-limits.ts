import { bookKey } from "../domain/book.ts";
import { dateUtc } from "../domain/calendar.ts";
import { networkOf } from "../domain/ip-address.ts";
import type { Refusal } from "../domain/refusal.ts";
import { hashSecretOf, type LimitName, limitOf } from "../env.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { addressOf } from "./client-address.ts";
import type { Ctx } from "./context.ts";
import { digest } from "./keyed-digest.ts";
import { logError } from "./log.ts";
import { isRead } from "./request.ts";

const periodSeconds = 60;

/** The binding says no, and not for how much longer; a whole period is always enough. */
const pastLimit: Refusal = { code: "rate_limited", retryAfterSeconds: periodSeconds };

const find = (c: Ctx, name: LimitName) => limitOf(c.env, name, c.get("transport").isLoopback);

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

/** A digest of the day: counters are stored, and tell nobody who called or from where. */
const dailyDigest = (c: Ctx, kind: "address" | "user", who: string): string =>
  digest(hashSecretOf(c.env), kind, dateUtc(c.get("call").at), who);

/** A flood comes from few addresses, and is to cost little. */
const addressKeys = new BoundedCache<string>(1_000);

function addressKey(c: Ctx): string {
  const address = addressOf(c);
  const ofDay = `${dateUtc(c.get("call").at)} ${address}`;
  return addressKeys.get(ofDay) ?? addressKeys.keep(ofDay, dailyDigest(c, "address", networkOf(address)));
}

const count = async (c: Ctx, name: LimitName, who: string): Promise<Refusal | undefined> =>
  (await admits(c, name, who)) ? undefined : pastLimit;

/** Counts the call against its key, or against its address where it has none. Undefined: it may go on. */
export const countCall = (c: Ctx, name: LimitName): Promise<Refusal | undefined> =>
  count(c, name, c.get("key")?.hash ?? addressKey(c));

/**
 * Counts a call without a key against its book, wherever it comes from. Those that name no program share one count.
 * Undefined: it may go on, as one with a key always may.
 */
export async function countUnsigned(
  c: Ctx,
  name: "programClick" | "programLead",
  { programId, isTest }: { readonly programId: number | undefined; readonly isTest: boolean },
): Promise<Refusal | undefined> {
  if (c.get("key") !== undefined) return undefined;
  const refusal = await count(c, name, programId === undefined ? "no program" : bookKey({ programId, isTest }));
  if (refusal !== undefined) announceLimit(c, name);
  return refusal;
}

const userLimitOf = ({ req }: Ctx) => (isRead(req.method) ? "userRead" : "userWrite");

export const announceUserLimit = (c: Ctx): void => announceLimit(c, userLimitOf(c));

/** Counts a call against the user whose session it shows. Undefined: it may go on. */
export const countUser = (c: Ctx, userId: string): Promise<Refusal | undefined> =>
  count(c, userLimitOf(c), dailyDigest(c, "user", userId));

/** The same of an operator, whom no session tells: by the address. */
export const countOperator = (c: Ctx): Promise<Refusal | undefined> => count(c, userLimitOf(c), addressKey(c));

/**
 * Wrong keys are counted when they are found to be wrong: to stop an address beforehand would also stop the right keys
 * of whoever shares it.
 */
export const countFailedKey = async (c: Ctx): Promise<Refusal> =>
  (await admits(c, "failedKey", addressKey(c))) ? { code: "invalid_key" } : pastLimit;
