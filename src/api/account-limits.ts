import { dateUtc } from "#domain/calendar.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { networksOf } from "#domain/ip-address.ts";
import type { MailTemplate } from "#domain/mail/mail.ts";
import type { Refusal } from "#domain/refusal.ts";
import { ok, type Result } from "#domain/result.ts";
import { home } from "#domain/shard.ts";
import { areLimitsOff, databaseOf, hashSecretOf } from "#env.ts";
import { clientAddress } from "#http/client-address.ts";
import type { Ctx } from "#http/context.ts";
import { digest } from "#http/keyed-digest.ts";
import { logError } from "#http/log.ts";
import { countAccess } from "#http/rate-limits.ts";
import { type Counter, countAttempts, endOfWindow, releaseAttempts } from "#store/accounts/rate-limits.ts";
import { openDatabase } from "#store/database.ts";
import { anyKnownDevice } from "./known-devices.ts";
import { readFromDatabase } from "./read-database.ts";

// Each `count…` function counts one attempt and returns the refusal if it is over the limit.

interface Limit {
  readonly kind: string;
  readonly max: number;
  readonly minutes: number;
}

// Failed sign-ins count whether the account exists or not.
const failuresByAddress: Limit = { kind: "account-address", max: 10, minutes: 15 };
const failuresByAccount: Limit = { kind: "account", max: 100, minutes: 15 };
const failuresByDevice: Limit = { kind: "device", max: 10, minutes: 15 };
const failuresByUser: Limit = { kind: "confirmation", max: 10, minutes: 15 };

// Refused codes count too, so that partners can't find out which codes others have.
const codesByPartner: Limit = { kind: "partner-code", max: 20, minutes: 24 * 60 };

/** Each change creates a permanent version. */
const detailsByPartner: Limit = { kind: "payment-details", max: 20, minutes: 24 * 60 };

type LimitedCounter = readonly [Limit, Counter];

const counterOf = (c: Ctx, limit: Limit, ...who: readonly string[]): LimitedCounter => [
  limit,
  { who: digest(hashSecretOf(c.env), limit.kind, ...who), windowMs: limit.minutes * 60_000, max: limit.max },
];

const siteFactor = 4;

/** Counters are stored, so an address's key must differ from day to day: no one can follow it. */
function addressCounters(c: Ctx, limit: Limit, ...who: readonly string[]): readonly LimitedCounter[] {
  const day = dateUtc(c.get("call").at);
  const { device, site } = networksOf(clientAddress(c));
  const ofDevice = counterOf(c, limit, ...who, `${day} ${device}`);
  const siteLimit = { ...limit, max: limit.max * siteFactor };
  return site === undefined ? [ofDevice] : [ofDevice, counterOf(c, siteLimit, ...who, `${day} ${site}`)];
}

function failureCounters(c: Ctx, email: string, device: string | undefined): readonly LimitedCounter[] {
  if (device !== undefined) return [counterOf(c, failuresByDevice, device)];
  const account = email.toLowerCase();
  return [...addressCounters(c, failuresByAddress, account), counterOf(c, failuresByAccount, account)];
}

function announce(c: Ctx, { kind, max, minutes }: Limit): void {
  c.header("RateLimit-Policy", `"${kind}";q=${max};w=${minutes * 60}`);
  c.header("X-RateLimit-Limit", String(max));
}

export const countSignUp = (c: Ctx): Promise<Refusal | undefined> => countAccess(c, "sign-up");
export const countInvitationView = (c: Ctx): Promise<Refusal | undefined> => countAccess(c, "invitation");
export const countForgottenPassword = (c: Ctx): Promise<Refusal | undefined> => countAccess(c, "forgot-password");
export const countVerification = (c: Ctx): Promise<Refusal | undefined> => countAccess(c, "verify-email");
export const countReset = (c: Ctx): Promise<Refusal | undefined> => countAccess(c, "reset-password");

/** Counts an attempt to sign in before its body is read, when it isn't known yet to which account. */
export const countSignInAttempt = async (c: Ctx): Promise<Refusal | undefined> =>
  countAccess(c, "sign-in", await anyKnownDevice(c));

/**
 * Counts the attempt as a failure in advance, so that parallel guesses are all counted before the first password is
 * checked. `releaseSignIn` takes a success back. A browser that is known, but not to this account, counts against its
 * address as well.
 */
export async function countSignIn(c: Ctx, email: string, device: string | undefined): Promise<Refusal | undefined> {
  const isForeignDevice = device === undefined && (await anyKnownDevice(c)) !== undefined;
  const overLimit = isForeignDevice ? await countAccess(c, "sign-in") : undefined;
  return overLimit ?? count(c, failureCounters(c, email, device));
}

export const releaseSignIn = (c: Ctx, email: string, device: string | undefined): void =>
  release(c, failureCounters(c, email, device));

// Counts whether or not the address has an account.
const resetsByAddress: Limit = { kind: "reset-mail-address", max: 10, minutes: 60 };

export const countResetRequest = (c: Ctx): Promise<Refusal | undefined> =>
  count(c, addressCounters(c, resetsByAddress));

/** Counts a signed-in user's confirmation of their identity. */
export function countConfirmation(c: Ctx, userId: string): Promise<Refusal | undefined> {
  announce(c, failuresByUser);
  return count(c, [counterOf(c, failuresByUser, userId)]);
}

export const releaseConfirmation = (c: Ctx, userId: string): void => release(c, [counterOf(c, failuresByUser, userId)]);

/** Counts a partner's new code. */
export function countNewCode(c: Ctx, programId: ProgramId, partnerId: PartnerId): Promise<Refusal | undefined> {
  announce(c, codesByPartner);
  return count(c, [counterOf(c, codesByPartner, `${programId} ${partnerId}`)]);
}

/** Counts new payment details, set by any account. */
export const countNewDetails = (c: Ctx, programId: ProgramId, partnerId: PartnerId): Promise<Refusal | undefined> =>
  count(c, [counterOf(c, detailsByPartner, `${programId} ${partnerId}`)]);

// Examples to addresses that have never answered, whose hosts may have nothing to do with the program. Counted for the
// caller alone: programs share hosts, and one must not use up what another needs.
const examplesByProgram: Limit = { kind: "webhook-example", max: 20, minutes: 60 };
const examplesByUser: Limit = { kind: "webhook-example-user", max: 40, minutes: 60 };
const examplesByAddress: Limit = { kind: "webhook-example-address", max: 60, minutes: 60 };

/** Counts an example to a new address. */
export const countExample = (c: Ctx, programId: ProgramId, userId: string): Promise<Refusal | undefined> =>
  count(c, [
    counterOf(c, examplesByProgram, String(programId)),
    counterOf(c, examplesByUser, userId),
    ...addressCounters(c, examplesByAddress),
  ]);

const applicationsByAddress: Limit = { kind: "application-address", max: 5, minutes: 60 };
const applicationsByAccount: Limit = { kind: "application", max: 20, minutes: 24 * 60 };

/** Counts an attempt to apply, including refused ones. */
export const countApplication = (c: Ctx, userId: string): Promise<Refusal | undefined> =>
  count(c, [...addressCounters(c, applicationsByAddress), counterOf(c, applicationsByAccount, userId)]);

// Mails of a kind to one address, from any caller, so that the service can't be used to flood a stranger.
const linksByRecipient: Limit = { kind: "mailed-link", max: 5, minutes: 60 };
const mailsByRecipient: Limit = { kind: "mail", max: 10, minutes: 24 * 60 };
// One call may mail a thousand partners.
const bulkMailsByProgram: Limit = { kind: "bulk-mail", max: 5, minutes: 24 * 60 };

const ownLinks: readonly CountedMail[] = ["verify_address", "password_reset"];

/** Mails about used recovery codes have a counter of their own: other changes of the account must not use it up. */
type CountedMail = MailTemplate | "recovery_code_used";

const recipientCounter = (c: Ctx, mail: CountedMail, to: string): LimitedCounter =>
  counterOf(c, ownLinks.includes(mail) ? linksByRecipient : mailsByRecipient, mail, to.toLowerCase());

/** Counts a mail before it is written. */
export const countMail = (c: Ctx, mail: CountedMail, to: string): Promise<Refusal | undefined> =>
  count(c, [recipientCounter(c, mail, to)]);

/** Undoes the count of a mail that wasn't written. */
export const releaseMail = (c: Ctx, mail: CountedMail, to: string): void => release(c, [recipientCounter(c, mail, to)]);

/**
 * All mails to addresses without an account, whichever program they are about: the service's reputation is at stake. Mails about changed details
 * are counted separately, so that invitations don't block a correction of payment details.
 */
const strangersBy = (sender: "user" | "workspace" | "address", isOfDetails = false): Limit => ({
  kind: `${isOfDetails ? "details" : "mail"}-to-strangers-by-${sender}`,
  // An office has several users.
  max: sender === "address" ? 400 : 200,
  minutes: 24 * 60,
});

export interface MailingFor {
  /** The workspace that sends the mail. Undefined for a partner, who uses up nothing of the workspace's limit. */
  readonly workspaceId: string | undefined;
  /** True for a mail about changed details. */
  readonly isOfDetails?: boolean | undefined;
  /** The user who causes the mail. Undefined for a key. */
  readonly userId: string | undefined;
}

const strangersCounters = (
  c: Ctx,
  { workspaceId, userId, isOfDetails }: MailingFor,
  mails: number,
): readonly Counter[] =>
  [
    ...(workspaceId === undefined ? [] : [counterOf(c, strangersBy("workspace", isOfDetails), workspaceId)]),
    ...(userId === undefined ? [] : [counterOf(c, strangersBy("user", isOfDetails), userId)]),
    ...addressCounters(c, strangersBy("address", isOfDetails)),
  ].map(([, counter]) => ({ ...counter, times: mails }));

/** Mails that aren't sent are uncounted. With a cap, concurrent calls would uncount more than was counted. */
const uncapped = 1_000_000_000;

/** Counts this many mails to strangers, and returns for how many there is room. */
export async function admitStrangers(c: Ctx, by: MailingFor, mails: number): Promise<Result<number>> {
  const rooms = mails === 0 ? ok([]) : await roomsOf(c, strangersCounters(c, by, mails));
  return rooms.ok ? ok(Math.min(mails, ...rooms.value)) : rooms;
}

/** Counts each `times`, and returns for how many of these it has room. */
async function roomsOf(c: Ctx, counters: readonly Counter[]): Promise<Result<readonly number[]>> {
  if (areLimitsOff(c.env, c.get("transport").isLoopback)) return ok(counters.map(({ times = 1 }) => times));
  const { at } = c.get("call");
  const counted = counters.map((counter) => ({ ...counter, max: uncapped }));
  const counts = await readFromDatabase(c, "home", (database) => countAttempts(database, counted, at));
  if (!counts.ok) return counts;
  return ok(
    counters.map(({ max, times = 1 }, i) => Math.max(0, Math.min(times, max - ((counts.value[i] ?? 0) - times)))),
  );
}

/** Undoes the count of this many mails. */
export const releaseStrangers = (c: Ctx, by: MailingFor, mails: number): void => {
  if (mails > 0) releaseAll(c, strangersCounters(c, by, mails));
};

/** Time at which more of them can be mailed. */
export function refusalOfStrangers(c: Ctx): Refusal {
  const { at } = c.get("call");
  const [, counter] = counterOf(c, strangersBy("user"));
  return { code: "rate_limited", retryAfterSeconds: Math.ceil((endOfWindow(counter, at) - at) / 1000) };
}

export const countBulkMail = (c: Ctx, programId: ProgramId): Promise<Refusal | undefined> =>
  count(c, [counterOf(c, bulkMailsByProgram, String(programId))]);

/** Counts one mail to each address, and returns the addresses below the limit. */
export async function admitMails(
  c: Ctx,
  template: MailTemplate,
  addresses: readonly string[],
): Promise<Result<ReadonlySet<string>>> {
  const distinct = [...new Set(addresses)];
  const limited = distinct.map((to) => recipientCounter(c, template, to));
  const waits = await secondsToWait(c, limited);
  return waits.ok ? ok(new Set(distinct.filter((_, i) => waits.value[i] === 0))) : waits;
}

/** How many mails of a kind go to each address. */
export type MailsByAddress = ReadonlyMap<string, number>;

const recipientCounters = (c: Ctx, template: MailTemplate, mails: MailsByAddress): readonly Counter[] =>
  [...mails].map(([to, times]) => ({ ...recipientCounter(c, template, to)[1], times }));

/** Counts mails to each address, from all programs, and returns for how many of these there is room. */
export async function admitRecipients(
  c: Ctx,
  template: MailTemplate,
  mails: MailsByAddress,
): Promise<Result<MailsByAddress>> {
  const rooms = mails.size === 0 ? ok([]) : await roomsOf(c, recipientCounters(c, template, mails));
  return rooms.ok ? ok(new Map([...mails.keys()].map((to, i) => [to, rooms.value[i] ?? 0]))) : rooms;
}

/** Undoes the count of these mails. */
export const releaseRecipients = (c: Ctx, template: MailTemplate, mails: MailsByAddress): void => {
  if (mails.size > 0) releaseAll(c, recipientCounters(c, template, mails));
};

const release = (c: Ctx, limited: readonly LimitedCounter[]): void =>
  releaseAll(
    c,
    limited.map(([, counter]) => counter),
  );

function releaseAll(c: Ctx, counters: readonly Counter[]): void {
  if (areLimitsOff(c.env, c.get("transport").isLoopback)) return;
  const database = openDatabase(databaseOf(c.env, home));
  const released = releaseAttempts(database, counters, c.get("call").at);
  c.executionCtx.waitUntil(released.catch((error: unknown) => logError(c, error)));
}

async function count(c: Ctx, limited: readonly LimitedCounter[]): Promise<Refusal | undefined> {
  const waits = await secondsToWait(c, limited);
  if (!waits.ok) return waits.refusal;
  const retryAfterSeconds = Math.max(...waits.value);
  return retryAfterSeconds > 0 ? { code: "rate_limited", retryAfterSeconds } : undefined;
}

/** Counts an attempt against each. Returns 0 for those below their limit. */
async function secondsToWait(c: Ctx, limited: readonly LimitedCounter[]): Promise<Result<readonly number[]>> {
  if (areLimitsOff(c.env, c.get("transport").isLoopback)) return ok(limited.map(() => 0));
  const { at } = c.get("call");
  const counters = limited.map(([, counter]) => counter);
  const counts = await readFromDatabase(c, "home", (database) => countAttempts(database, counters, at));
  if (!counts.ok) return counts;
  return ok(
    limited.map(([{ max }, counter], i) =>
      (counts.value[i] ?? 0) > max ? Math.ceil((endOfWindow(counter, at) - at) / 1000) : 0,
    ),
  );
}
