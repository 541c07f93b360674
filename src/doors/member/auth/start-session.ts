import { countMail } from "#api/account-limits.ts";
import { knownDevice, rememberDevice } from "#api/known-devices.ts";
import { mailRow, sendMails, sendsMail, strangersMailOrigin } from "#api/mail.ts";
import { readFromDatabase } from "#api/read-database.ts";
import type { AccountAction } from "#domain/account-event.ts";
import { dateUtc } from "#domain/calendar.ts";
import { type AccountChange, accountChanged } from "#domain/mail/account-letter.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { home } from "#domain/shard.ts";
import { databaseOf, hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { returns } from "#http/endpoint.ts";
import { digest } from "#http/keyed-digest.ts";
import { logError } from "#http/log.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { setSessionCookie, storedToken } from "#http/session-cookie.ts";
import { parseUserAgent } from "#http/user-agent.ts";
import { type AccountEvent, recordFailedSignIn } from "#store/accounts/account-events.ts";
import { isPartnerAccount } from "#store/accounts/account-partners.ts";
import {
  createSession,
  identitySessionMs,
  type SessionUser,
  type SignInProof,
  sessionIdleMs,
} from "#store/accounts/sessions.ts";
import { type Database, openDatabase } from "#store/database.ts";
import type { MailRow } from "#store/mails.ts";

interface SigningIn {
  readonly userId: string;
  readonly email: string;
  readonly by: SignInProof;
}

/**
 * Identifies the account in the browser's device cookie (see `known-devices.ts`). A sign-in with an identity counts as
 * another account, because a browser that knows the password may not know the identity.
 */
export const deviceAccount = ({ email, by }: Pick<SigningIn, "email" | "by">) =>
  "hash" in by ? { email, hash: by.hash } : { email: by.identityId, hash: by.identityId };

/**
 * Returns the session token. Refuses if the password has changed since the caller verified it, or the identity was
 * removed.
 */
export async function startSession(
  c: Ctx,
  { userId, email, by }: SigningIn,
  action: "signed_up" | "signed_in" | "signed_in_with_recovery_code" = "signed_in",
): Promise<Result<string>> {
  const token = randomSecret();
  const account = deviceAccount({ email, by });
  const isNewBrowser = action !== "signed_up" && (await knownDevice(c, account)) === undefined;
  const mail = isNewBrowser ? await accountMail(c, { userId, email }, "new_browser") : undefined;
  const event = { ...(await accountEvent(c, userId, action === "signed_up" ? "signed_in" : action)), mail };
  const of = { userId, device: event.device, place: event.place, by };
  const session = { id: crypto.randomUUID(), token: storedToken(token), ...of };
  const created = await readFromDatabase(c, "home", (database) => createSession(database, session, event));
  if (!created.ok) return created;
  if (!created.value) return refused({ code: "sign_in_failed" });
  if (mail !== undefined) sendMails(c, "home");
  await setSessionCookie(c, token, ("hash" in by ? sessionIdleMs : identitySessionMs) / 1000);
  await rememberDevice(c, account);
  return ok(token);
}

const Done = z.object({ success: z.literal(true) }).openapi("Done");

export const done = (description: string) => returns(description, Done);
export const success = { success: true } as const;

export async function accountEvent<Action extends AccountAction>(
  c: Ctx,
  userId: string,
  action: Action,
): Promise<AccountEvent & { readonly action: Action }> {
  const { operationId, at } = c.get("call");
  return { operationId, userId, action, ...(await sessionDevice(c)), at };
}

/**
 * Runs `write` to change an account, with the event and the mail about it. Returns the result of `write`, which is
 * falsy if nothing changed.
 */
export async function changeAccount<What extends AccountAction & AccountChange, Made>(
  c: Ctx,
  { userId, email }: { readonly userId: string; readonly email: string | undefined },
  what: What,
  write: (database: Database, event: AccountEvent & { readonly action: What }) => Promise<Made>,
): Promise<Result<Made>> {
  const mail = email === undefined ? undefined : await accountMail(c, { userId, email }, what);
  const event = { ...(await accountEvent(c, userId, what)), mail };
  const made = await readFromDatabase(c, "home", (database) => write(database, event));
  if (made.ok && made.value && mail !== undefined) sendMails(c, "home");
  return made;
}

/** Runs after the response is sent. Otherwise a slower refusal would reveal that the account exists. */
export function keepFailedSignIn(c: Ctx, userId: string): void {
  const kept = accountEvent(c, userId, "sign_in_failed").then((event) =>
    recordFailedSignIn(openDatabase(databaseOf(c.env, home)), event),
  );
  c.executionCtx.waitUntil(kept.catch((error: unknown) => logError(c, error)));
}

interface Account {
  readonly userId: string;
  readonly email: string;
}

/**
 * A mail about a change of the account. Undefined if the service sends no mail, or the address is over the limit of
 * mails.
 */
export async function accountMail(
  c: Ctx,
  { userId, email: to }: Account,
  what: AccountChange,
): Promise<MailRow | undefined> {
  if (!sendsMail(c)) return undefined;
  const counted = what === "recovery_code_used" ? what : "account_changed";
  // A mail about a new browser isn't counted, because its id allows only one a day. So sign-ins can't use up the limit
  // for other mails.
  if (what !== "new_browser" && (await countMail(c, counted, to)) !== undefined) return undefined;
  const { at } = c.get("call");
  const found = await readFromDatabase(c, "home", (database) => isPartnerAccount(database, userId));
  const [isPartner, origin] = [found.ok && found.value, strangersMailOrigin(c)];
  const letter = accountChanged({ what, ...(await sessionDevice(c)), at, origin, isPartner });
  const once = what === "new_browser" ? { id: idOfDay(c, userId) } : { part: what };
  return mailRow(c, { template: "account_changed", programId: null, mail: { to, ...letter }, ...once });
}

/** A mail with an existing id isn't written, so only the first of a day is sent. */
const idOfDay = (c: Ctx, userId: string): string =>
  `new-browser.${digest(hashSecretOf(c.env), "new-browser", userId, dateUtc(c.get("call").at)).slice(0, 32)}`;

export const UserReply = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    image: z.string().nullable(),
    twoFactor: z.boolean().describe("True if signing in requires a code."),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .openapi("User");

export const userReply = (user: SessionUser): z.output<typeof UserReply> => ({
  id: user.userId,
  name: user.name,
  email: user.email,
  emailVerified: user.emailVerified,
  image: user.image,
  twoFactor: user.twoFactor,
  createdAt: timestamp(user.createdAt.getTime()),
  updatedAt: timestamp(user.updatedAt.getTime()),
});

interface SessionDevice {
  readonly device: string | null;
  readonly place: string | null;
}

/** Enough for users to recognize their sessions. Contains neither IP address nor user agent. */
async function sessionDevice({ req }: Ctx): Promise<SessionDevice> {
  const { browser, os } = await parseUserAgent(req.raw.headers.get("User-Agent"));
  const country = req.raw.cf?.country;
  return {
    device: [browser, os].filter((name) => name !== null).join(" on ") || null,
    place: typeof country === "string" ? country : null,
  };
}

export const SignedIn = z
  .object({ redirect: z.literal(false), token: z.string(), user: UserReply })
  .openapi("SignedIn");
