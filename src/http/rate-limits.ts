import { bookKey } from "../domain/book.ts";
import { dateUtc } from "../domain/calendar.ts";
import { networkOf } from "../domain/ip-address.ts";
import type { Refusal } from "../domain/refusal.ts";
import { hashSecretOf, type LimitName, limitOf } from "../env.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { clientAddress } from "./client-address.ts";
import type { Ctx } from "./context.ts";
import { digest } from "./keyed-digest.ts";
import { logError } from "./log.ts";
import { isReadMethod } from "./request.ts";

// Each `count…` function counts one call and returns the refusal if it is over the limit.

const periodSeconds = 60;

/** The binding doesn't say when the period ends, but waiting a whole one is always enough. */
const rateLimited: Refusal = { code: "rate_limited", retryAfterSeconds: periodSeconds };

const limitFor = (c: Ctx, name: LimitName) => limitOf(c.env, name, c.get("transport").isLoopback);

/** Lets calls through if the counter fails: a sale is worth more than its limit. */
async function admits(c: Ctx, name: LimitName, key: string): Promise<boolean> {
  try {
    return await limitFor(c, name).admits(key);
  } catch (error) {
    logError(c, error);
    return true;
  }
}

const count = async (c: Ctx, name: LimitName, key: string): Promise<Refusal | undefined> =>
  (await admits(c, name, key)) ? undefined : rateLimited;

/** Sends the limit but not the caller's own count, which a response could reveal to someone else. */
export function announceLimit(c: Ctx, name: LimitName): void {
  const { perMinute } = limitFor(c, name);
  c.header("RateLimit-Policy", `"${name}";q=${perMinute};w=${periodSeconds}`);
  c.header("X-RateLimit-Limit", String(perMinute));
}

/** Counters are stored, so their keys must not reveal who called, or link the calls of different days. */
const dailyDigest = (c: Ctx, kind: "address" | "user", who: string): string =>
  digest(hashSecretOf(c.env), kind, dateUtc(c.get("call").at), who);

/** Cached because a flood comes from few addresses and should cost little. */
const addressKeys = new BoundedCache<string>(1_000);

function addressKey(c: Ctx): string {
  const address = clientAddress(c);
  const dayAndAddress = `${dateUtc(c.get("call").at)} ${address}`;
  return (
    addressKeys.get(dayAndAddress) ?? addressKeys.set(dayAndAddress, dailyDigest(c, "address", networkOf(address)))
  );
}

export const countCall = (c: Ctx, name: LimitName): Promise<Refusal | undefined> =>
  count(c, name, c.get("key")?.hash ?? addressKey(c));

/**
 * Counts a call without a key against its book, from whatever address. Calls that name no program share one count.
 * Doesn't count calls with a key.
 */
export async function countKeyless(
  c: Ctx,
  name: "programClick" | "programLead",
  { programId, isTest }: { readonly programId: number | undefined; readonly isTest: boolean },
): Promise<Refusal | undefined> {
  if (c.get("key") !== undefined) return undefined;
  const refusal = await count(c, name, programId === undefined ? "no program" : bookKey({ programId, isTest }));
  if (refusal !== undefined) announceLimit(c, name);
  return refusal;
}

const userLimitOf = ({ req }: Ctx) => (isReadMethod(req.method) ? "userRead" : "userWrite");

export const announceUserLimit = (c: Ctx): void => announceLimit(c, userLimitOf(c));

export const countUser = (c: Ctx, userId: string): Promise<Refusal | undefined> =>
  count(c, userLimitOf(c), dailyDigest(c, "user", userId));

export const countOperator = (c: Ctx): Promise<Refusal | undefined> => count(c, userLimitOf(c), addressKey(c));

/**
 * Wrong keys are counted only once they turn out to be wrong: refusing the address beforehand would also refuse the
 * right keys of others who share it.
 */
export const countFailedKey = async (c: Ctx): Promise<Refusal> =>
  (await admits(c, "failedKey", addressKey(c))) ? { code: "invalid_key" } : rateLimited;
