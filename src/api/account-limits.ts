import { dateUtc } from "#domain/calendar.ts";
import { maxClaimsPerDay } from "#domain/claim.ts";
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

// Each `count…` function counts one attempt. It returns a refusal if the attempt is over the limit, otherwise
// undefined.

interface Limit {
  readonly kind: string;
  readonly max: number;
  readonly minutes: number;
}

// Failed sign-ins are counted whether or not the account exists.
const failuresByAddress: Limit = { kind: "account-address", max: 10, minutes: 15 };
const failuresByAccount: Limit = { kind: "account", max: 100, minutes: 15 };
const failuresByDevice: Limit = { kind: "device", max: 10, minutes: 15 };
const failuresByUser: Limit = { kind: "confirmation", max: 10, minutes: 15 };

// Rejected codes are counted too. Otherwise a partner could find out the codes of others by trying them.
const codesByPartner: Limit = { kind: "partner-code", max: 20, minutes: 24 * 60 };

/** Each change of payment details creates a version that is never deleted. */
const detailsByPartner: Limit = { kind: "payment-details", max: 20, minutes: 24 * 60 };

const claimsByPartner: Limit = { kind: "claim", max: maxClaimsPerDay, minutes: 24 * 60 };

type LimitedCounter = readonly [Limit, Counter];

const counterOf = (c: Ctx, limit: Limit, ...who: readonly string[]): LimitedCounter => [
  limit,
  { who: digest(hashSecretOf(c.env), limit.kind, ...who), windowMs: limit.minutes * 60_000, max: limit.max },
];

const siteFactor = 4;

/**
 * The counters are stored in the database. A counter's key for an IP address changes every day, so that it can't be
 * used to track the address.
 */
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

/** Counts a sign-in attempt before its body is read, when the account isn't known yet. */
export const countSignInAttempt = async (c: Ctx): Promise<Refusal | undefined> =>
  countAccess(c, "sign-in", await anyKnownDevice(c));

/**
 * Counts a sign-in as failed before the password is checked, so that parallel guesses are all counted in time.
 * `releaseSignIn` undoes the count after a success. If the browser has signed in only to other accounts, the attempt
 * also counts against the IP address.
 */
export async function countSignIn(c: Ctx, email: string, device: string | undefined): Promise<Refusal | undefined> {
  const isForeignDevice = device === undefined && (await anyKnownDevice(c)) !== undefined;
  const overLimit = isForeignDevice ? await countAccess(c, "sign-in") : undefined;
  return overLimit ?? count(c, failureCounters(c, email, device));
}

export const releaseSignIn = (c: Ctx, email: string, device: string | undefined): void =>
  release(c, failureCounters(c, email, device));

// Counted whether or not the address has an account.
const resetsByAddress: Limit = { kind: "reset-mail-address", max: 10, minutes: 60 };

export const countResetRequest = (c: Ctx): Promise<Refusal | undefined> =>
  count(c, addressCounters(c, resetsByAddress));

/** Counts a signed-in user's attempt to confirm their identity. */
export function countConfirmation(c: Ctx, userId: string): Promise<Refusal | undefined> {
  announce(c, failuresByUser);
  return count(c, [counterOf(c, failuresByUser, userId)]);
}

export const releaseConfirmation = (c: Ctx, userId: string): void => release(c, [counterOf(c, failuresByUser, userId)]);

/** Counts the creation of a code by a partner. `who` identifies the partner across all programs. */
export function countNewCode(c: Ctx, who: string): Promise<Refusal | undefined> {
  announce(c, codesByPartner);
  return count(c, [counterOf(c, codesByPartner, who)]);
}

/** The most claims that a partner may open per day. The Ledger counts them. Null if limits are turned off. */
export function claimLimit(c: Ctx): number | null {
  announce(c, claimsByPartner);
  return areLimitsOff(c.env, c.get("transport").isLoopback) ? null : claimsByPartner.max;
}

/** Counts a change of a partner's payment details by any account. */
export const countNewDetails = (c: Ctx, programId: ProgramId, partnerId: PartnerId): Promise<Refusal | undefined> =>
  count(c, [counterOf(c, detailsByPartner, `${programId} ${partnerId}`)]);

// Limits for example events to webhook URLs that have never answered, whose hosts might not belong to the program.
// Calls are counted by caller and not by host, because programs share hosts, and one program must not use up another's
// limit.
const examplesByProgram: Limit = { kind: "webhook-example", max: 20, minutes: 60 };
const examplesByUser: Limit = { kind: "webhook-example-user", max: 40, minutes: 60 };
const examplesByAddress: Limit = { kind: "webhook-example-address", max: 60, minutes: 60 };

/** Counts an example event to a URL that has never answered. */
export const countExample = (c: Ctx, programId: ProgramId, userId: string): Promise<Refusal | undefined> =>
  count(c, [
    counterOf(c, examplesByProgram, String(programId)),
    counterOf(c, examplesByUser, userId),
    ...addressCounters(c, examplesByAddress),
  ]);

const applicationsByAddress: Limit = { kind: "application-address", max: 5, minutes: 60 };
const applicationsByAccount: Limit = { kind: "application", max: 20, minutes: 24 * 60 };

/** Counts an attempt to apply to a program, including rejected attempts. */
export const countApplication = (c: Ctx, userId: string): Promise<Refusal | undefined> =>
  count(c, [...addressCounters(c, applicationsByAddress), counterOf(c, applicationsByAccount, userId)]);

// Limits mails to one recipient, from any caller, so that the service can't be used to flood a mailbox.
const linksByRecipient: Limit = { kind: "mailed-link", max: 5, minutes: 60 };
const mailsByRecipient: Limit = { kind: "mail", max: 10, minutes: 24 * 60 };
// The limit is low, because one call may mail a thousand partners.
const bulkMailsByProgram: Limit = { kind: "bulk-mail", max: 5, minutes: 24 * 60 };

const ownLinks: readonly CountedMail[] = ["verify_address", "password_reset"];

/**
 * Mails about used recovery codes are counted separately, so that mails about other changes can't use up their limit.
 */
type CountedMail = MailTemplate | "recovery_code_used";

const recipientCounter = (c: Ctx, mail: CountedMail, to: string): LimitedCounter =>
  counterOf(c, ownLinks.includes(mail) ? linksByRecipient : mailsByRecipient, mail, to.toLowerCase());

/** Counts a mail. Call it before the mail is written. */
export const countMail = (c: Ctx, mail: CountedMail, to: string): Promise<Refusal | undefined> =>
  count(c, [recipientCounter(c, mail, to)]);

/** Undoes the count of a mail that wasn't written. */
export const releaseMail = (c: Ctx, mail: CountedMail, to: string): void => release(c, [recipientCounter(c, mail, to)]);

/**
 * Limits all mails to addresses that aren't trusted (`mails-to-strangers.ts`), across programs, because they could
 * damage the service's sender reputation. Mails about changed details are counted separately, so that invitations can't
 * block a change of payment details.
 */
const strangersBy = (sender: "user" | "workspace" | "address", isOfDetails = false): Limit => ({
  kind: `${isOfDetails ? "details" : "mail"}-to-strangers-by-${sender}`,
  // The limit of an address is higher, because the users of one office share an address.
  max: sender === "address" ? 400 : 200,
  minutes: 24 * 60,
});

export interface MailingFor {
  /**
   * The workspace that sends the mail. Undefined if a partner sends it: partners don't use up the workspace's limit.
   */
  readonly workspaceId: string | undefined;
  /** True for a mail about changed details. */
  readonly isOfDetails?: boolean | undefined;
  /** The user whose call sends the mail. Undefined for a program key. */
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

/**
 * Replaces the limit in the counters when many mails are counted at once, because mails that aren't sent are subtracted
 * later. If a counter stopped at the limit, concurrent calls would subtract more than was counted.
 */
const uncapped = 1_000_000_000;

/** Counts this many mails to strangers. Returns how many of them are within the limits. */
export async function admitStrangers(c: Ctx, by: MailingFor, mails: number): Promise<Result<number>> {
  const rooms = mails === 0 ? ok([]) : await roomsOf(c, strangersCounters(c, by, mails));
  return rooms.ok ? ok(Math.min(mails, ...rooms.value)) : rooms;
}

/** Adds `times` to each counter. Returns for each counter how much of `times` is within its limit. */
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

/** Undoes the count of this many mails to strangers. */
export const releaseStrangers = (c: Ctx, by: MailingFor, mails: number): void => {
  if (mails > 0) releaseAll(c, strangersCounters(c, by, mails));
};

/** The refusal for mails to strangers over the limit. It says when more can be sent. */
export function refusalOfStrangers(c: Ctx): Refusal {
  const { at } = c.get("call");
  const [, counter] = counterOf(c, strangersBy("user"));
  return { code: "rate_limited", retryAfterSeconds: Math.ceil((endOfWindow(counter, at) - at) / 1000) };
}

export const countBulkMail = (c: Ctx, programId: ProgramId): Promise<Refusal | undefined> =>
  count(c, [counterOf(c, bulkMailsByProgram, String(programId))]);

/** Counts one mail to each address. Returns the addresses that are within the limit. */
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

/** Number of mails to each address. */
export type MailsByAddress = ReadonlyMap<string, number>;

const recipientCounters = (c: Ctx, template: MailTemplate, mails: MailsByAddress): readonly Counter[] =>
  [...mails].map(([to, times]) => ({ ...recipientCounter(c, template, to)[1], times }));

/** Counts mails to each address, across programs. Returns, for each address, how many are within the limit. */
export async function admitRecipients(
  c: Ctx,
  template: MailTemplate,
  mails: MailsByAddress,
): Promise<Result<MailsByAddress>> {
  const rooms = mails.size === 0 ? ok([]) : await roomsOf(c, recipientCounters(c, template, mails));
  return rooms.ok ? ok(new Map([...mails.keys()].map((to, i) => [to, rooms.value[i] ?? 0]))) : rooms;
}

/** Undoes the count of mails to these addresses. */
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

/** Counts an attempt with each counter. Returns the seconds to wait for each, 0 if the attempt is within the limit. */
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
