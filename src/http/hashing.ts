import type { Derivation } from "#domain/password-hash.ts";
import type { Refusal } from "#domain/refusal.ts";
import { ok, type Result, refused, unavailable } from "#domain/result.ts";
import { areLimitsOff, type Hasher, hasherOf, hashesPerSecondOf } from "#env.ts";
import type { Ctx } from "./context.ts";
import { deriveKey } from "./derive-key.ts";
import { logError } from "./log.ts";
import { hashPassword, verifyPassword } from "./password-hashes.ts";
import { TokenBucket } from "./token-bucket.ts";

/**
 * A password hash takes as much time as hundreds of clicks, so hashes per second are limited for all callers together.
 * Known callers have a session, a device cookie or a reset link. They have a separate limit, which strangers can't use
 * up.
 */
export type HashingCaller = "known" | "stranger";

/** Hashes for one sign-in, sign-up or change of password. */
export interface Hashing {
  hash(password: string): Promise<Result<string>>;
  verify(hash: string | undefined, password: string): Promise<Result<boolean>>;
}

const rooms = new Map<HashingCaller, TokenBucket>();

function roomOf(c: Ctx, caller: HashingCaller): TokenBucket {
  const perSecond = hashesPerSecondOf(c.env);
  const room = rooms.get(caller) ?? new TokenBucket(perSecond, perSecond);
  rooms.set(caller, room);
  return room;
}

const full: Refusal = { code: "rate_limited", retryAfterSeconds: 1 };

/** All password hashing goes through this function. It refuses a call over the limit before anything is hashed. */
export function openHashing(c: Ctx, caller: HashingCaller): Result<Hashing> {
  const isUnlimited = areLimitsOff(c.env, c.get("transport").isLoopback);
  if (!isUnlimited && !roomOf(c, caller).admits(c.get("call").at)) return refused(full);
  const hasher = hasherOf(c.env);
  const derive = hasher === undefined ? deriveKey : (derivation: Derivation) => deriveIn(hasher, derivation, caller);
  return ok({
    hash: (password) => settled(c, hashPassword(password, derive)),
    verify: (hash, password) => settled(c, verifyPassword(hash, password, derive)),
  });
}

class HasherFullError extends Error {
  override readonly name = "HasherFullError";
}

const timeoutMs = 10_000;

/** Hashes in the supervising process, because scrypt would block this process's only thread. */
async function deriveIn({ service, token }: Hasher, derivation: Derivation, caller: HashingCaller): Promise<string> {
  const answer = await service.fetch(`http://hasher/${caller}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(derivation),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await answer.text();
  if (answer.status === 429) throw new HasherFullError("too many hashes wait");
  if (!answer.ok) throw new Error(`the hasher answered ${answer.status}`);
  return text;
}

async function settled<T>(c: Ctx, work: Promise<T>): Promise<Result<T>> {
  try {
    return ok(await work);
  } catch (error) {
    if (error instanceof HasherFullError) return refused(full);
    logError(c, error);
    return refused(unavailable);
  }
}
