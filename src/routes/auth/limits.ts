import type { Refusal } from "../../domain/refusal.ts";
import { areLimitsOff, databaseOf, hashSecretOf } from "../../env.ts";
import { callerOf } from "../../http/address.ts";
import type { Ctx } from "../../http/app-env.ts";
import { digest } from "../../http/digest.ts";
import { logError } from "../../http/log.ts";
import { openDatabase } from "../../store/database.ts";
import { type Counter, countAttempts, endOfWindow, uncountAttempt } from "../../store/rate-limits.ts";
import { fromDatabase } from "../from-database.ts";

/** So many in so many minutes. */
interface Limit {
  readonly kind: string;
  readonly max: number;
  readonly minutes: number;
}

const signUpsByAddress: Limit = { kind: "sign-up", max: 10, minutes: 1 };
const signInsByAddress: Limit = { kind: "sign-in", max: 10, minutes: 1 };
/** Failed ones, whichever addresses they came from, and whether there is such an account or not. */
const failuresByAccount: Limit = { kind: "account", max: 10, minutes: 15 };

const counterOf = (c: Ctx, { kind, minutes }: Limit, who: string): Counter => ({
  who: digest(hashSecretOf(c.env), kind, who),
  windowMs: minutes * 60_000,
});

const accountCounter = (c: Ctx, email: string): Counter => counterOf(c, failuresByAccount, email.toLowerCase());

function announce(c: Ctx, { kind, max, minutes }: Limit): void {
  c.header("RateLimit-Policy", `"${kind}";q=${max};w=${minutes * 60}`);
  c.header("X-RateLimit-Limit", String(max));
}

/** Counts an attempt to sign up. Undefined: it may go on. */
export function countSignUp(c: Ctx): Promise<Refusal | undefined> {
  announce(c, signUpsByAddress);
  return count(c, [[signUpsByAddress, counterOf(c, signUpsByAddress, callerOf(c))]]);
}

/**
 * Counts an attempt to sign in, against its address and, as one that fails, against its account: any number of guesses
 * made at once are counted before the first of them is judged.
 */
export function countSignIn(c: Ctx, email: string): Promise<Refusal | undefined> {
  announce(c, signInsByAddress);
  return count(c, [
    [signInsByAddress, counterOf(c, signInsByAddress, callerOf(c))],
    [failuresByAccount, accountCounter(c, email)],
  ]);
}

/** It did not fail after all. Nobody waits for this. */
export function uncountFailure(c: Ctx, email: string): void {
  if (areLimitsOff(c.env, c.req.url)) return;
  const uncounted = uncountAttempt(openDatabase(databaseOf(c.env)), accountCounter(c, email), c.var.call.at);
  c.executionCtx.waitUntil(uncounted.catch((error: unknown) => logError(c, error)));
}

async function count(c: Ctx, limits: readonly (readonly [Limit, Counter])[]): Promise<Refusal | undefined> {
  if (areLimitsOff(c.env, c.req.url)) return undefined;
  const { at } = c.var.call;
  const counters = limits.map(([, counter]) => counter);
  const counts = await fromDatabase(c, (database) => countAttempts(database, counters, at));
  if (!counts.ok) return counts.refusal;
  const waits = limits.map(([{ max }, counter], i) =>
    (counts.value[i] ?? 0) > max ? Math.ceil((endOfWindow(counter, at) - at) / 1000) : 0,
  );
  const retryAfterSeconds = Math.max(...waits);
  return retryAfterSeconds > 0 ? { code: "rate_limited", retryAfterSeconds } : undefined;
}
