import { readFromDatabase } from "#api/read-database.ts";
import { isExcepted } from "#domain/oidc.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { mayActAs, type Role } from "#domain/role.ts";
import { type BodyCtx, hasMediaType, readJsonBody } from "#http/body.ts";
import type { Ctx } from "#http/context.ts";
import { oidcOf } from "#http/oidc-settings.ts";
import { announceUserLimit, countUser, type UserLimit } from "#http/rate-limits.ts";
import { invalidField } from "#http/refusal/responses.ts";
import { refusalOfBody } from "#http/refusal/validation.ts";
import { isReadMethod } from "#http/request.ts";
import { readId } from "#http/schema/id.ts";
import type * as z from "#http/schema/zod.ts";
import { sessionTokenOf } from "#http/session-cookie.ts";
import { originOf } from "#http/transport.ts";
import { findLinkedMember } from "#store/accounts/identities.ts";
import { findUser, type Membership, type Scope, type SignedInUser } from "#store/accounts/scope.ts";
import { findAccount } from "#store/accounts/users.ts";

const noSession = { code: "no_session" } as const;

/** Ignores the cookie if the call has a program key, because such a call must never have a session's rights. */
async function presentedToken(c: Ctx): Promise<string | undefined> {
  return /^Bearer\b/i.test(c.req.header("Authorization") ?? "") ? undefined : sessionTokenOf(c);
}

export async function authorizeUser(c: Ctx): Promise<Result<SignedInUser>> {
  announceUserLimit(c);
  const token = await presentedToken(c);
  return token === undefined ? refused(noSession) : authorizeToken(c, token);
}

async function authorizeToken(c: Ctx, token: string): Promise<Result<SignedInUser>> {
  const found = await readFromDatabase(c, "home", (database) => findUser(database, token, c.get("call").at));
  if (!found.ok) return found;
  if (found.value === undefined) return refused(noSession);
  return admitUser(c, found.value.userId, found.value);
}

/** CSRF protection. Browsers send the origin of a write in a header, which a page of another site can't forge. */
export function refusalOfOrigin(c: Ctx): Refusal | undefined {
  const { req } = c;
  if (isReadMethod(req.method)) return undefined;
  const origin = req.header("Origin");
  const isSameOrigin = origin === undefined ? req.header("Sec-Fetch-Site") === "same-origin" : origin === originOf(c);
  return isSameOrigin && hasMediaType(req.raw, ["application/json"]) ? undefined : { code: "foreign_origin" };
}

/**
 * Counts the call before the response can reveal whether its target exists, so that no one can find programs by trying
 * ids. A write from another site's page isn't counted against the user.
 */
async function admitUser<T>(c: Ctx, userId: string, value: T, limit?: UserLimit): Promise<Result<T>> {
  const refusal = refusalOfOrigin(c) ?? (await countUser(c, userId, limit));
  return refusal === undefined ? ok(value) : refused(refusal);
}

export type ResolveScope<Id> = (c: BodyCtx) => Result<Id> | Promise<Result<Id>>;

/** Identifies the session and the program, partner or workspace that a call is about, with the instant of the call. */
export interface Asked<Id> {
  readonly token: string;
  readonly id: Id;
  readonly at: number;
}

export async function authorizeScope<Id, Loaded extends Scope>(
  c: BodyCtx,
  resolve: ResolveScope<Id>,
  load: (c: Ctx, asked: Asked<Id>) => Promise<Result<Loaded>>,
  limit?: UserLimit,
): Promise<Result<Loaded & { readonly user: SignedInUser }>> {
  announceUserLimit(c, limit);
  const token = await presentedToken(c);
  if (token === undefined) return refused(noSession);
  const id = await resolve(c);
  if (!id.ok) {
    const user = await authorizeToken(c, token);
    return user.ok ? id : user;
  }
  const loaded = await load(c, { token, id: id.value, at: c.get("call").at });
  if (!loaded.ok) return loaded;
  const { user } = loaded.value;
  return user === undefined ? refused(noSession) : admitUser(c, user.userId, { ...loaded.value, user }, limit);
}

/** If members must sign in at the identity provider, refuses a session that began with a password. */
export async function refusalOfPassword(
  c: Ctx,
  { userId, identityId }: Pick<SignedInUser, "userId" | "identityId">,
): Promise<Refusal | undefined> {
  const provider = identityId === null ? oidcOf(c.env) : undefined;
  if (provider?.isRequired !== true) return undefined;
  const required: Refusal = { code: "oidc_required" };
  if (provider.except.length === 0) return required;
  const found = await readFromDatabase(c, "home", (database) => findAccount(database, userId));
  if (!found.ok) return found.refusal;
  return found.value !== undefined && isExcepted(provider, found.value.email) ? undefined : required;
}

/** If members must sign in at the identity provider, refuses the password of a member who has an identity there. */
export async function refusalOfBound(
  c: Ctx,
  { userId, identityId }: Pick<SignedInUser, "userId" | "identityId">,
): Promise<Refusal | undefined> {
  const provider = identityId === null ? oidcOf(c.env) : undefined;
  if (provider?.isRequired !== true) return undefined;
  const { issuer } = provider;
  const found = await readFromDatabase(c, "home", (database) => findLinkedMember(database, userId, issuer));
  if (!found.ok) return found.refusal;
  const isBound = found.value !== undefined && !isExcepted(provider, found.value.email);
  return isBound ? { code: "oidc_required" } : undefined;
}

export type AuthorizeMember = (c: Ctx, membership: Membership | undefined, needed: Role) => Result<Membership>;

/** Ignores the workspace's requirement of a second factor. */
export const authorizeRole: AuthorizeMember = (_, membership, needed) => {
  if (membership?.status !== "active") return refused({ code: "not_a_member" });
  return mayActAs(membership.role, needed) ? ok(membership) : refused({ code: "role_too_low", needed });
};

export const authorizeMember: AuthorizeMember = (c, membership, needed) => {
  const authorized = authorizeRole(c, membership, needed);
  const mayOnlyRead = authorized.ok && authorized.value.lacksTwoFactor && !isReadMethod(c.req.method);
  return mayOnlyRead ? refused({ code: "two_factor_required" }) : authorized;
};

export const confirmedForMs = 60 * 60_000;

export const isRecentlyConfirmed = (c: Ctx, confirmedAt: number): boolean =>
  c.get("call").at - confirmedAt <= confirmedForMs;

export const programInPath: ResolveScope<number> = (c) => {
  const id = readId(c.req.param("programId"));
  return id === undefined ? refused(notFound("program")) : ok(id);
};

export const workspaceInPath: ResolveScope<string> = (c) => {
  const id = c.req.param("workspaceId");
  return id === undefined ? refused(notFound("workspace")) : ok(id);
};

export const workspaceInQuery: ResolveScope<string> = (c) => {
  const id = readKey(c.req.query("workspaceId"));
  return id === undefined ? refused(invalidField("workspaceId", "workspaceId is required")) : ok(id);
};

export const programInBody = (schema: z.ZodObject): ResolveScope<number> => inBody("program_id", readId, schema);
export const workspaceInBody = (schema: z.ZodObject): ResolveScope<string> => inBody("workspaceId", readKey, schema);

const readKey = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** Returns the id in the body. If it is missing, refuses with all errors of the body. */
const inBody =
  <Id>(field: string, read: (value: unknown) => Id | undefined, schema: z.ZodObject): ResolveScope<Id> =>
  async (c) => {
    const refusal = await readJsonBody(c, ["application/json"]);
    if (refusal !== undefined) return refused(refusal);
    const id = read(c.get("body")?.[field]);
    if (id !== undefined) return ok(id);
    return refused(refusalOfBody(schema, c.get("body")) ?? invalidField(field, `${field} is required`));
  };

/** Only owners and admins see the email addresses of partners. */
export const seesEmails = ({ role }: { readonly role: Role }): boolean => mayActAs(role, "admin");
