import type { Context } from "hono";
import { countSignInAttempt } from "#api/account-limits.ts";
import { hasUsedCode } from "#api/known-devices.ts";
import { readFromDatabase } from "#api/read-database.ts";
import type { ProvedIdentity } from "#domain/oidc.ts";
import type { Refusal } from "#domain/refusal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { AppEnv, Ctx } from "#http/context.ts";
import {
  body,
  commonRefusals,
  createRoute,
  endpoint,
  refusals,
  refuse,
  returns,
  withJsonBody,
} from "#http/endpoint.ts";
import { beginAtProvider, identityAtProvider } from "#http/oidc.ts";
import { type Begun, takeBegun } from "#http/oidc-cookie.ts";
import { refusePage } from "#http/refusal/refuse-page.ts";
import { refusalOfSite } from "#http/same-site.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { findLinked, type Linked } from "#store/accounts/identities.ts";
import { findCredential, findCredentialByEmail } from "#store/accounts/passwords.ts";
import { fromOwnOrigin, inputRefusals, writeRefusals } from "../guards.ts";
import { confirmByProvider, linkTo, linkToSession, ProviderUrl, returnTo } from "./identities.ts";
import { beginSecondStep } from "./sign-in.ts";
import { createAccount } from "./sign-up.ts";
import { startSession } from "./start-session.ts";

const beginRefusals = ["oidc_off", "oidc_unavailable"] as const;
const asPage = "Browsers get a refusal as a page that shows its code.";

const home = "/app/";

/**
 * Another site may link to this page. But images and frames on that site must not use up the limit of sign-ins at the
 * caller's address.
 */
async function countNavigation(c: Ctx): Promise<Refusal | undefined> {
  const isPage = (c.req.header("Sec-Fetch-Dest") ?? "document") === "document";
  return (isPage ? undefined : refusalOfSite(c)) ?? (await countSignInAttempt(c));
}

const BeginQuery = z.object({
  returnTo: z
    .string()
    .optional()
    .describe("Path of the dashboard to open after the sign-in, such as `/app/programs/1`."),
});

export const beginOidc = endpoint({
  route: createRoute({
    method: "get",
    path: "/oidc",
    operationId: "beginOidc",
    tags: ["Sign-in"],
    summary: "Sign in at the identity provider",
    description: `Redirects the browser to the identity provider. ${asPage}`,
    security: [],
    request: { query: BeginQuery },
    responses: {
      302: { description: "To the provider's sign-in page" },
      ...refusals([...beginRefusals, "cross_site", "invalid_input", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const refusal = await countNavigation(c);
    if (refusal !== undefined) return refusePage(c, refusal, home);
    const { returnTo } = c.req.valid("query");
    const begun = await beginAtProvider(c, { returnTo, purpose: { kind: "sign_in", invitation: null } });
    return begun.ok ? c.redirect(begun.value) : refusePage(c, begun.refusal, home);
  },
});

const OidcBegin = z
  .object({
    returnTo,
    invitation: fields
      .optional(fields.nonBlank("invitation"))
      .describe("Token of an invitation or of the link for the first owner. A new account accepts it."),
  })
  .openapi("OidcBegin");

export const beginOidcInvited = endpoint({
  route: createRoute({
    method: "post",
    path: "/oidc",
    operationId: "beginOidcInvited",
    tags: ["Sign-in"],
    summary: "Sign in at the identity provider with an invitation",
    description: "The same as `GET`, for a person who was invited and has no account yet.",
    ...withJsonBody(fromOwnOrigin(countSignInAttempt)),
    request: { body: body(OidcBegin) },
    responses: {
      ...returns("The provider's sign-in page", ProviderUrl),
      ...refusals([...beginRefusals, ...writeRefusals, ...inputRefusals, ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const { returnTo, invitation } = c.req.valid("json");
    const begun = await beginAtProvider(c, { returnTo, purpose: { kind: "sign_in", invitation } });
    return begun.ok ? c.json({ data: { url: begun.value } }, 200) : refuse(c, begun.refusal);
  },
});

export const endOidc = endpoint({
  route: createRoute({
    method: "get",
    path: "/oidc/callback",
    operationId: "endOidc",
    tags: ["Sign-in"],
    summary: "Return from the identity provider",
    description: `The provider redirects the browser here. Works once, within 10 minutes, and only in the browser that began the sign-in. ${asPage}`,
    security: [],
    responses: {
      302: { description: "Signed in (the response sets the session cookie), or the identity is linked or confirmed." },
      ...refusals([
        ...beginRefusals,
        "cross_site",
        "oidc_failed",
        "oidc_no_email",
        "oidc_not_fresh",
        "oidc_other_identity",
        "not_linked",
        "identity_taken",
        "already_linked",
        "code_required",
        "no_session",
        "sign_up_by_invitation",
        "invitation_invalid",
        ...commonRefusals,
      ]),
    },
  }),
  handler: async (c) => {
    const refusal = await countNavigation(c);
    if (refusal !== undefined) return refusePage(c, refusal, home);
    const query = new URL(c.req.url).searchParams;
    const begun = await takeBegun(c, query.get("state") ?? "");
    if (begun === undefined) return refusePage(c, { code: "oidc_failed" }, home);
    const ended = await end(c, begun, query);
    return ended.ok ? c.redirect(ended.value) : refusePage(c, ended.refusal, begun.returnTo);
  },
});

/** Returns the path to open. */
async function end(c: Context<AppEnv>, begun: Begun, query: URLSearchParams): Promise<Result<string>> {
  const proved = await identityAtProvider(c, begun, query);
  if (!proved.ok) return proved;
  const { purpose, returnTo } = begun;
  if (purpose.kind === "sign_in") return signInBy(c, { identity: proved.value, returnTo, ...purpose });
  const act = purpose.kind === "link" ? linkToSession : confirmByProvider;
  const refusal = await act(c, { identity: proved.value, sessionToken: purpose.sessionToken, begunAt: begun.at });
  return refusal === undefined ? ok(returnTo) : refused(refusal);
}

interface SigningIn {
  readonly identity: ProvedIdentity;
  readonly invitation: string | null;
  readonly returnTo: string;
}

async function signInBy(c: Context<AppEnv>, { identity, invitation, returnTo }: SigningIn): Promise<Result<string>> {
  const own = await accountOf(c, identity, invitation);
  if (!own.ok) return own;
  const { userId, identityId, isNew = false } = own.value;
  const found = await readFromDatabase(c, "home", (database) => findCredential(database, userId));
  if (!found.ok) return found;
  if (found.value === undefined) return refused({ code: "oidc_failed" });
  const account = found.value;
  const { hasSecondFactor, checkedAt = 0 } = identity;
  if (account.twoFactor && !hasSecondFactor && !(await hasUsedCode(c, account))) {
    await beginSecondStep(c, { ...account, by: { identityId } });
    const app = returnTo.startsWith("/partner/") ? "partner" : "app";
    return ok(`/${app}/sign-in?${new URLSearchParams({ step: "code", return: returnTo })}`);
  }
  const confirmedAt = Math.min(checkedAt, c.get("call").at);
  const by = { identityId, hasProviderFactor: hasSecondFactor, confirmedAt };
  const started = await startSession(c, { ...account, by }, isNew ? "signed_up" : "signed_in");
  if (!started.ok) return refused({ code: "oidc_failed" });
  // The new account has already accepted the invitation, so the browser doesn't return to the invitation's page.
  return ok(isNew && invitation !== null ? home : returnTo);
}

type Own = Linked & { readonly isNew?: true };

async function accountOf(
  c: Context<AppEnv>,
  identity: ProvedIdentity,
  invitation: string | null,
): Promise<Result<Own>> {
  const read = () => readFromDatabase(c, "home", (database) => findLinked(database, identity));
  const linked = await read();
  if (!linked.ok) return linked;
  if (linked.value !== undefined) return ok(linked.value);
  const own = await linkOrCreate(c, identity, invitation);
  if (own.ok) return own;
  // A concurrent sign-in of the same person may have created the account.
  const again = await read();
  return again.ok && again.value !== undefined ? ok(again.value) : own;
}

const notLinked: Refusal = { code: "not_linked" };

/**
 * An address links an identity to an account only if both sides have verified it. Otherwise a person could take over
 * the account of another by claiming that person's address, here or at the provider.
 */
async function linkOrCreate(
  c: Context<AppEnv>,
  identity: ProvedIdentity,
  invitation: string | null,
): Promise<Result<Own>> {
  const { email, isEmailVerified } = identity;
  if (email === undefined) return refused({ code: "oidc_no_email" });
  const found = await readFromDatabase(c, "home", (database) => findCredentialByEmail(database, email));
  if (!found.ok) return found;
  const holder = found.value;
  if (holder === undefined) return create(c, { ...identity, email }, invitation);
  if (!isEmailVerified) return refused(notLinked);
  if (holder.emailVerified) return linkTo(c, holder, identity, "");
  // Takes the address from an existing account if that account owns nothing and hasn't verified the address after a
  // day.
  const created = await create(c, { ...identity, email }, invitation);
  return created.ok || !isOfHolder(created.refusal) ? created : refused(notLinked);
}

const isOfHolder = ({ code }: Refusal): boolean => ["not_linked", "sign_up_by_invitation"].includes(code);

async function create(
  c: Ctx,
  { issuer, subject, email, name, isEmailVerified: isProved }: ProvedIdentity & { readonly email: string },
  invitation: string | null,
): Promise<Result<Own>> {
  const [local = email] = email.split("@");
  const account = { name: name ?? local, email, isProved, invitation, joinPage: null, app: "app" } as const;
  const created = await createAccount(c, account, async () => ok({ issuer, subject }));
  if (created.ok) {
    return ok({ userId: created.value.user.userId, identityId: created.value.accountId, isNew: true });
  }
  return refused(created.refusal.code === "account_exists" ? notLinked : created.refusal);
}
