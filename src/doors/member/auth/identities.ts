import { readFromDatabase } from "#api/read-database.ts";
import { isFreshCheck, type ProvedIdentity } from "#domain/oidc.ts";
import type { Refusal } from "#domain/refusal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { beginAtProvider } from "#http/oidc.ts";
import { oidcOf } from "#http/oidc-settings.ts";
import * as fields from "#http/schema/form-fields.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { sessionTokenOf } from "#http/session-cookie.ts";
import { findLinked, type Linked, linkIdentity, readWaysToSignIn, removeIdentity } from "#store/accounts/identities.ts";
import { type Credential, findCredential, findCredentialOfSession } from "#store/accounts/passwords.ts";
import { markConfirmed } from "#store/accounts/sessions.ts";
import { refusalOfBound } from "../authorize.ts";
import {
  inputRefusals,
  reauthenticated,
  sessionRefusals,
  sessionWriteRefusals,
  signedIn,
  signedInToRead,
} from "../guards.ts";
import { changeAccount, done, success } from "./start-session.ts";

/**
 * Links the identity to the account. Repeating it changes nothing. Ends the account's sessions that began with a
 * password, except the session of `keptToken`.
 */
export async function linkTo(
  c: Ctx,
  account: Pick<Credential, "userId" | "email">,
  { issuer, subject }: ProvedIdentity,
  keptToken: string,
): Promise<Result<Linked>> {
  const { userId } = account;
  const identity = { identityId: crypto.randomUUID(), issuer, subject, keptToken };
  const linked = await changeAccount(c, account, "identity_linked", (database, event) =>
    // The same request may record a sign-in, as another event.
    linkIdentity(database, identity, { ...event, operationId: `${event.operationId}.identity` }),
  );
  if (!linked.ok) return linked;
  if (linked.value === undefined) return refused({ code: "already_linked" });
  return linked.value.userId === userId ? ok(linked.value) : refused({ code: "identity_taken" });
}

interface Returned {
  readonly identity: ProvedIdentity;
  /** The token, in its stored form, of the session from which the browser was sent to the provider. */
  readonly sessionToken: string;
  readonly begunAt: number;
}

/** The account of the session. Refuses if the browser has signed out meanwhile, or has signed in to another account. */
async function accountOf(c: Ctx, sessionToken: string): Promise<Result<Credential>> {
  const noSession = refused({ code: "no_session" });
  if ((await sessionTokenOf(c)) !== sessionToken) return noSession;
  const { at } = c.get("call");
  const found = await readFromDatabase(c, "home", (database) => findCredentialOfSession(database, sessionToken, at));
  if (!found.ok) return found;
  return found.value === undefined ? noSession : ok(found.value);
}

export async function linkToSession(c: Ctx, { identity, sessionToken }: Returned): Promise<Refusal | undefined> {
  const account = await accountOf(c, sessionToken);
  if (!account.ok) return account.refusal;
  const linked = await linkTo(c, account.value, identity, sessionToken);
  return linked.ok ? undefined : linked.refusal;
}

/** Confirms the session. Refuses unless the provider has just checked the same person. */
export async function confirmByProvider(
  c: Ctx,
  { identity, sessionToken, begunAt }: Returned,
): Promise<Refusal | undefined> {
  const account = await accountOf(c, sessionToken);
  if (!account.ok) return account.refusal;
  const linked = await readFromDatabase(c, "home", (database) => findLinked(database, identity));
  if (!linked.ok) return linked.refusal;
  if (linked.value?.userId !== account.value.userId) return { code: "oidc_other_identity" };
  if (account.value.twoFactor && !identity.hasSecondFactor) return { code: "code_required" };
  const { checkedAt } = identity;
  if (checkedAt === undefined || !isFreshCheck(checkedAt, begunAt)) return { code: "oidc_not_fresh" };
  const confirmedAt = Math.min(checkedAt, c.get("call").at);
  const marked = await readFromDatabase(c, "home", (database) => markConfirmed(database, sessionToken, confirmedAt));
  return marked.ok ? undefined : marked.refusal;
}

export const returnTo = fields
  .optional(fields.text("returnTo", 2_048))
  .describe("Path of the dashboard to open afterwards, such as `/app/account`.");

export const ProviderUrl = z.object({ data: z.object({ url: z.string().describe("Open this address.") }) });

/** Sends the browser of this session to the provider. Returns the address of the provider's sign-in page. */
async function departFor(c: Ctx, kind: "link" | "confirm", returnTo: string | null): Promise<Result<string>> {
  return beginAtProvider(c, { returnTo, purpose: { kind, sessionToken: (await sessionTokenOf(c)) ?? "" } });
}

const Departure = z.object({ returnTo }).openapi("OidcDeparture");
const departureRefusals = [...sessionWriteRefusals, ...inputRefusals, "oidc_off", "oidc_unavailable"] as const;

export const beginLink = endpoint({
  route: createRoute({
    method: "post",
    path: "/oidc/link",
    operationId: "beginIdentityLink",
    tags: ["Sign-in"],
    summary: "Link your account to an identity",
    description:
      "After the sign-in at the identity provider, you can sign in there instead of with your password. Ends your other sessions that began with a password. An account can be linked to one identity, and an identity to one account.",
    ...reauthenticated(withJsonBody(signedIn())),
    request: { body: body(Departure) },
    responses: {
      ...returns("The provider's sign-in page", ProviderUrl),
      ...refusals([...departureRefusals, "reauthenticate"]),
    },
  }),
  handler: async (c) => {
    const begun = await departFor(c, "link", c.req.valid("json").returnTo);
    return begun.ok ? c.json({ data: { url: begun.value } }, 200) : refuse(c, begun.refusal);
  },
});

export const beginConfirmation = endpoint({
  route: createRoute({
    method: "post",
    path: "/oidc/confirm",
    operationId: "beginIdentityConfirmation",
    tags: ["Sign-in"],
    summary: "Confirm who you are at the identity provider",
    description:
      "The same as `POST /api/auth/reauthenticate`, without a password. The provider must check again who you are, and return the time of this check (`auth_time`).",
    ...withJsonBody(signedIn()),
    request: { body: body(Departure) },
    responses: { ...returns("The provider's sign-in page", ProviderUrl), ...refusals(departureRefusals) },
  }),
  handler: async (c) => {
    const begun = await departFor(c, "confirm", c.req.valid("json").returnTo);
    return begun.ok ? c.json({ data: { url: begun.value } }, 200) : refuse(c, begun.refusal);
  },
});

const OwnIdentity = z
  .object({
    hasPassword: z.boolean().describe("False if the account signs in only at the identity provider."),
    identity: z.object({ linkedAt: z.iso.datetime() }).nullable().describe("Null if the account isn't linked."),
    provider: z.string().nullable().describe("Name of the identity provider. Null if the service has none."),
    readOnly: z
      .boolean()
      .describe(
        "True if this session can only read the account and sign out. It began with a password, but the account is linked, and members must sign in at the identity provider.",
      ),
  })
  .openapi("OwnIdentity");

export const getIdentity = endpoint({
  route: createRoute({
    method: "get",
    path: "/identity",
    operationId: "getIdentity",
    tags: ["Sign-in"],
    summary: "Get how your account signs in",
    description: "Returns whether your account has a password, and whether it is linked to the identity provider.",
    ...signedInToRead(),
    responses: {
      ...returns("How the account signs in", z.object({ data: OwnIdentity })),
      ...refusals(sessionRefusals),
    },
  }),
  handler: async (c) => {
    const provider = oidcOf(c.env);
    const userId = c.get("userId");
    const ways = await readFromDatabase(c, "home", (database) =>
      readWaysToSignIn(database, userId, provider?.issuer ?? ""),
    );
    if (!ways.ok) return refuse(c, ways.refusal);
    const bound = await refusalOfBound(c, { userId, identityId: c.get("identityId") });
    if (bound !== undefined && bound.code !== "oidc_required") return refuse(c, bound);
    const { hasPassword, identity } = ways.value;
    const linked = identity === undefined ? null : { linkedAt: timestamp(identity.linkedAt) };
    const readOnly = bound !== undefined;
    return c.json({ data: { hasPassword, identity: linked, provider: provider?.name ?? null, readOnly } }, 200);
  },
});

export const deleteIdentity = endpoint({
  route: createRoute({
    method: "delete",
    path: "/identity",
    operationId: "deleteIdentity",
    tags: ["Sign-in"],
    summary: "Remove your identity",
    description:
      "Ends the sessions that began at the identity provider. Refused if the account has no password. A repeat changes nothing.",
    ...reauthenticated(signedIn()),
    responses: {
      ...done("The account isn't linked to the identity provider"),
      ...refusals([...sessionWriteRefusals, "reauthenticate", "last_sign_in", "oidc_off"]),
    },
  }),
  handler: async (c) => {
    const provider = oidcOf(c.env);
    if (provider === undefined) return refuse(c, { code: "oidc_off" });
    const userId = c.get("userId");
    const found = await readFromDatabase(c, "home", (database) => findCredential(database, userId));
    if (!found.ok) return refuse(c, found.refusal);
    const account = { userId, email: found.value?.email };
    const removed = await changeAccount(c, account, "identity_removed", (database, event) =>
      removeIdentity(database, provider.issuer, event),
    );
    if (!removed.ok) return refuse(c, removed.refusal);
    return removed.value ? c.json(success, 200) : refuse(c, { code: "last_sign_in" });
  },
});
