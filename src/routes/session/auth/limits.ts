import { dateUtc } from "../../../domain/calendar.ts";
import type { Refusal } from "../../../domain/refusal.ts";
import { areLimitsOff, databaseOf, hashSecretOf } from "../../../env.ts";
import { callerOf } from "../../../http/client-address.ts";
import type { Ctx } from "../../../http/context.ts";
import { digest } from "../../../http/keyed-digest.ts";
import { logError } from "../../../http/log.ts";
import { type Counter, countAttempts, endOfWindow, releaseAttempts } from "../../../store/accounts/rate-limits.ts";
import { openDatabase } from "../../../store/database.ts";
import { readFromDatabase } from "../../read-database.ts";

/** So many in so many minutes. */
interface Limit {
  readonly kind: string;
  readonly max: number;
  readonly minutes: number;
}

const signUpsByAddress: Limit = { kind: "sign-up", max: 10, minutes: 1 };
const signInsByAddress: Limit = { kind: "sign-in", max: 10, minutes: 1 };
/** Right ones too. */
const signInsByDevice: Limit = { kind: "device-sign-in", max: 10, minutes: 1 };
const resetsByAddress: Limit = { kind: "reset-password", max: 10, minutes: 1 };
const invitationsByAddress: Limit = { kind: "invitation", max: 60, minutes: 1 };
// Failed ones, whether there is such an account or not.
const failuresByAddress: Limit = { kind: "account-address", max: 10, minutes: 15 };
const failuresByAccount: Limit = { kind: "account", max: 100, minutes: 15 };
const failuresByDevice: Limit = { kind: "device", max: 10, minutes: 15 };
const failuresByUser: Limit = { kind: "change-password", max: 10, minutes: 15 };

type Counted = readonly [Limit, Counter];

const counted = (c: Ctx, limit: Limit, ...who: readonly string[]): Counted => [
  limit,
  { who: digest(hashSecretOf(c.env), limit.kind, ...who), windowMs: limit.minutes * 60_000, max: limit.max },
];

/** Digests of an address differ from day to day: counters are stored, and nobody can follow an address by them. */
const addressOfDay = (c: Ctx): string => `${dateUtc(c.get("call").at)} ${callerOf(c)}`;

/** What a failed sign-in counts against: the browser alone, where it has signed in to the account before. */
function failuresOf(c: Ctx, email: string, device: string | undefined): readonly Counted[] {
  if (device !== undefined) return [counted(c, failuresByDevice, device)];
  const account = email.toLowerCase();
  return [counted(c, failuresByAddress, account, addressOfDay(c)), counted(c, failuresByAccount, account)];
}

function announce(c: Ctx, { kind, max, minutes }: Limit): void {
  c.header("RateLimit-Policy", `"${kind}";q=${max};w=${minutes * 60}`);
  c.header("X-RateLimit-Limit", String(max));
}

/** Counts an attempt to sign up. Undefined: it may go on. */
export function countSignUp(c: Ctx): Promise<Refusal | undefined> {
  announce(c, signUpsByAddress);
  return count(c, [counted(c, signUpsByAddress, addressOfDay(c))]);
}

/** Counts a look at an invitation. */
export function countInvitationView(c: Ctx): Promise<Refusal | undefined> {
  announce(c, invitationsByAddress);
  return count(c, [counted(c, invitationsByAddress, addressOfDay(c))]);
}

/** Counts an attempt to use a password reset. */
export function countReset(c: Ctx): Promise<Refusal | undefined> {
  announce(c, resetsByAddress);
  return count(c, [counted(c, resetsByAddress, addressOfDay(c))]);
}

/**
 * Counts an attempt to sign in as one that fails: any number of guesses made at once are counted before the first of
 * them is judged.
 */
export function countSignIn(c: Ctx, email: string, device: string | undefined): Promise<Refusal | undefined> {
  const limit = device === undefined ? signInsByAddress : signInsByDevice;
  announce(c, limit);
  const attempt = counted(c, limit, device ?? addressOfDay(c));
  return count(c, [attempt, ...failuresOf(c, email, device)]);
}

/** It did not fail after all. Nobody waits for this. */
export const uncountSignIn = (c: Ctx, email: string, device: string | undefined): void =>
  uncount(c, failuresOf(c, email, device));

/** Counts an attempt to change a password as one that gives the wrong one. */
export function countPasswordChange(c: Ctx, userId: string): Promise<Refusal | undefined> {
  announce(c, failuresByUser);
  return count(c, [counted(c, failuresByUser, userId)]);
}

export const uncountPasswordChange = (c: Ctx, userId: string): void => uncount(c, [counted(c, failuresByUser, userId)]);

function uncount(c: Ctx, counters: readonly Counted[]): void {
  if (areLimitsOff(c.env, c.get("transport").isLoopback)) return;
  const database = openDatabase(databaseOf(c.env));
  const uncounted = releaseAttempts(
    database,
    counters.map(([, counter]) => counter),
    c.get("call").at,
  );
  c.executionCtx.waitUntil(uncounted.catch((error: unknown) => logError(c, error)));
}

async function count(c: Ctx, limits: readonly Counted[]): Promise<Refusal | undefined> {
  if (areLimitsOff(c.env, c.get("transport").isLoopback)) return undefined;
  const { at } = c.get("call");
  const counters = limits.map(([, counter]) => counter);
  const counts = await readFromDatabase(c, (database) => countAttempts(database, counters, at));
  if (!counts.ok) return counts.refusal;
  const waits = limits.map(([{ max }, counter], i) =>
    (counts.value[i] ?? 0) > max ? Math.ceil((endOfWindow(counter, at) - at) / 1000) : 0,
  );
  const retryAfterSeconds = Math.max(...waits);
  return retryAfterSeconds > 0 ? { code: "rate_limited", retryAfterSeconds } : undefined;
}
