import { dateUtc } from "../../../domain/calendar.ts";
import type { Refusal } from "../../../domain/refusal.ts";
import { areLimitsOff, databaseOf, hashSecretOf } from "../../../env.ts";
import { clientNetwork } from "../../../http/client-address.ts";
import type { Ctx } from "../../../http/context.ts";
import { digest } from "../../../http/keyed-digest.ts";
import { logError } from "../../../http/log.ts";
import { type Counter, countAttempts, endOfWindow, releaseAttempts } from "../../../store/accounts/rate-limits.ts";
import { openDatabase } from "../../../store/database.ts";
import { readFromDatabase } from "../../read-database.ts";

// Each `count…` function counts one attempt and returns the refusal if it is over the limit.

interface Limit {
  readonly kind: string;
  readonly max: number;
  readonly minutes: number;
}

const signUpsByAddress: Limit = { kind: "sign-up", max: 10, minutes: 1 };
const signInsByAddress: Limit = { kind: "sign-in", max: 10, minutes: 1 };
const signInsByDevice: Limit = { kind: "device-sign-in", max: 10, minutes: 1 };
const resetsByAddress: Limit = { kind: "reset-password", max: 10, minutes: 1 };
const invitationsByAddress: Limit = { kind: "invitation", max: 60, minutes: 1 };
// Failures count whether the account exists or not.
const failuresByAddress: Limit = { kind: "account-address", max: 10, minutes: 15 };
const failuresByAccount: Limit = { kind: "account", max: 100, minutes: 15 };
const failuresByDevice: Limit = { kind: "device", max: 10, minutes: 15 };
const failuresByUser: Limit = { kind: "change-password", max: 10, minutes: 15 };

type LimitedCounter = readonly [Limit, Counter];

const counterOf = (c: Ctx, limit: Limit, ...who: readonly string[]): LimitedCounter => [
  limit,
  { who: digest(hashSecretOf(c.env), limit.kind, ...who), windowMs: limit.minutes * 60_000, max: limit.max },
];

/** Counters are stored, so an address's key must differ from day to day: no one can follow it. */
const dayAndAddress = (c: Ctx): string => `${dateUtc(c.get("call").at)} ${clientNetwork(c)}`;

function failureCounters(c: Ctx, email: string, device: string | undefined): readonly LimitedCounter[] {
  if (device !== undefined) return [counterOf(c, failuresByDevice, device)];
  const account = email.toLowerCase();
  return [counterOf(c, failuresByAddress, account, dayAndAddress(c)), counterOf(c, failuresByAccount, account)];
}

function announce(c: Ctx, { kind, max, minutes }: Limit): void {
  c.header("RateLimit-Policy", `"${kind}";q=${max};w=${minutes * 60}`);
  c.header("X-RateLimit-Limit", String(max));
}

function countByAddress(c: Ctx, limit: Limit): Promise<Refusal | undefined> {
  announce(c, limit);
  return count(c, [counterOf(c, limit, dayAndAddress(c))]);
}

export const countSignUp = (c: Ctx): Promise<Refusal | undefined> => countByAddress(c, signUpsByAddress);
export const countInvitationView = (c: Ctx): Promise<Refusal | undefined> => countByAddress(c, invitationsByAddress);
export const countReset = (c: Ctx): Promise<Refusal | undefined> => countByAddress(c, resetsByAddress);

/**
 * Counts the attempt as a failure in advance, so that parallel guesses are all counted before the first password is
 * checked. `releaseSignIn` takes a success back.
 */
export function countSignIn(c: Ctx, email: string, device: string | undefined): Promise<Refusal | undefined> {
  const limit = device === undefined ? signInsByAddress : signInsByDevice;
  announce(c, limit);
  const attempt = counterOf(c, limit, device ?? dayAndAddress(c));
  return count(c, [attempt, ...failureCounters(c, email, device)]);
}

export const releaseSignIn = (c: Ctx, email: string, device: string | undefined): void =>
  release(c, failureCounters(c, email, device));

export function countPasswordChange(c: Ctx, userId: string): Promise<Refusal | undefined> {
  announce(c, failuresByUser);
  return count(c, [counterOf(c, failuresByUser, userId)]);
}

export const releasePasswordChange = (c: Ctx, userId: string): void =>
  release(c, [counterOf(c, failuresByUser, userId)]);

function release(c: Ctx, limited: readonly LimitedCounter[]): void {
  if (areLimitsOff(c.env, c.get("transport").isLoopback)) return;
  const database = openDatabase(databaseOf(c.env));
  const counters = limited.map(([, counter]) => counter);
  const released = releaseAttempts(database, counters, c.get("call").at);
  c.executionCtx.waitUntil(released.catch((error: unknown) => logError(c, error)));
}

async function count(c: Ctx, limited: readonly LimitedCounter[]): Promise<Refusal | undefined> {
  if (areLimitsOff(c.env, c.get("transport").isLoopback)) return undefined;
  const { at } = c.get("call");
  const counters = limited.map(([, counter]) => counter);
  const counts = await readFromDatabase(c, (database) => countAttempts(database, counters, at));
  if (!counts.ok) return counts.refusal;
  const waits = limited.map(([{ max }, counter], i) =>
    (counts.value[i] ?? 0) > max ? Math.ceil((endOfWindow(counter, at) - at) / 1000) : 0,
  );
  const retryAfterSeconds = Math.max(...waits);
  return retryAfterSeconds > 0 ? { code: "rate_limited", retryAfterSeconds } : undefined;
}
