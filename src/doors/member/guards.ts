import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { readFromDatabase, readFromShards } from "#api/read-database.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import type { Role } from "#domain/role.ts";
import type { AppEnv, Ctx } from "#http/context.ts";
import { shardOfProgram } from "#http/places.ts";
import type { UserLimit } from "#http/rate-limits.ts";
import { refuse } from "#http/refusal/refuse.ts";
import type * as z from "#http/schema/zod.ts";
import type { Outcome } from "#operations/operation.ts";
import { isActiveMember } from "#store/accounts/members.ts";
import {
  loadProgramScope,
  loadWorkspaceScope,
  type Membership,
  type ProgramScope,
  type SignedInUser,
  type WorkspaceScope,
} from "#store/accounts/scope.ts";
import {
  type Asked,
  type AuthorizeMember,
  authorizeMember,
  authorizeRole,
  authorizeScope,
  authorizeUser,
  isRecentlyConfirmed,
  programInBody,
  programInPath,
  type ResolveScope,
  refusalOfBound,
  refusalOfOrigin,
  refusalOfPassword,
  workspaceInBody,
  workspaceInPath,
  workspaceInQuery,
} from "./authorize.ts";

type Count = (c: Ctx) => Promise<Refusal | undefined>;
type Step = MiddlewareHandler<AppEnv>;
type StepWith<Variables extends object> = MiddlewareHandler<AppEnv & { Variables: Variables }>;

interface User {
  userId: string;
  /**
   * When the user last proved who they are (ms): at the sign-in, at a later confirmation, or when the identity provider
   * checked them. 0 if the provider didn't report the time of its check.
   */
  confirmedAt: number;
  signedInAt: number;
  /** The identity with which the user signed in. Null if they used their password. */
  identityId: string | null;
}
interface InProgram extends User {
  membership: Membership;
  program: ProgramScope;
}
interface InWorkspace extends User {
  membership: Membership;
  workspace: WorkspaceScope;
}

// Refusals that every endpoint of a kind can return. A write that isn't JSON is refused with `foreign_origin`.
export const sessionRefusals = ["https_required", "no_session", "rate_limited", "internal", "unavailable"] as const;
export const memberRefusals = [
  "not_found",
  "not_a_member",
  "role_too_low",
  "oidc_required",
  ...sessionRefusals,
] as const;
export const writeRefusals = ["foreign_origin"] as const;
export const sessionWriteRefusals = [...writeRefusals, "oidc_required", ...sessionRefusals] as const;
export const memberWriteRefusals = [...writeRefusals, ...memberRefusals, "two_factor_required"] as const;
export const inputRefusals = ["invalid_input", "malformed_json", "payload_too_large", "body_too_late"] as const;

const security = (...needed: Role[]) => [{ session: needed }];

// Spread a guard into a route: it sets the `security` in OpenAPI and the middleware. Guards check in this order:
// session, origin, rate limit, identity provider, program or workspace, membership, role. With `schema`, a guard also
// checks the body for the id.

/** Guards a call without a session. `count` counts the call before its body is read. */
export const fromOwnOrigin = (count: Count = async () => undefined) => {
  const middleware: [Step] = [requireOwnOrigin(count)];
  return { security: [], middleware };
};

/**
 * If members must sign in at the identity provider, refuses a session that began with a password and belongs to a
 * member who has an identity there.
 */
export const signedIn = () => {
  const middleware: [StepWith<User>, StepWith<User>] = [requireUser, requireUnbound];
  return { security: security(), middleware };
};

/**
 * Admits every session. Use it only for what the Account page reads, so that the page can tell the user to sign in at
 * the identity provider.
 */
export const signedInToRead = () => {
  const middleware: [StepWith<User>] = [requireUser];
  return { security: security(), middleware };
};

/** Refuses every session that began with a password if members must sign in at the identity provider. */
export const signedInAsMember = () => {
  const middleware: [StepWith<User>, StepWith<User>] = [requireUser, requireProvider];
  return { security: security(), middleware };
};

/** Like `signedIn`. `count` counts the call before its body is read. */
export const signedInCounted = (count: (c: Ctx, userId: string) => Promise<Refusal | undefined>) => {
  const middleware: [StepWith<User>, StepWith<User>, StepWith<User>] = [requireUser, requireUnbound, countUser(count)];
  return { security: security(), middleware };
};

/** If `limit` is given, the call is counted only against that limit. */
export const programMember = (role: Role, limit?: UserLimit) => {
  const middleware: [StepWith<InProgram>] = [requireInProgram(role, programInPath, limit)];
  return { security: security(role), middleware };
};

export const memberOfProgramInBody = (role: Role, schema: z.ZodObject) => {
  const middleware: [StepWith<InProgram>] = [requireInProgram(role, programInBody(schema))];
  return { security: security(role), middleware };
};

export const workspaceMember = (role: Role) => {
  const middleware: [StepWith<InWorkspace>] = [requireInWorkspace(role, workspaceInPath)];
  return { security: security(role), middleware };
};

/** Ignores the workspace's requirement of a second factor. */
export const workspaceMemberLeaving = () => {
  const middleware: [StepWith<InWorkspace>] = [requireInWorkspace("viewer", workspaceInPath, authorizeRole)];
  return { security: security("viewer"), middleware };
};

export const memberOfWorkspaceInBody = (role: Role, schema: z.ZodObject) => {
  const middleware: [StepWith<InWorkspace>] = [requireInWorkspace(role, workspaceInBody(schema))];
  return { security: security(role), middleware };
};

export const memberOfWorkspaceInQuery = (role: Role) => {
  const middleware: [StepWith<InWorkspace>] = [requireInWorkspace(role, workspaceInQuery)];
  return { security: security(role), middleware };
};

/**
 * Requires that the user signed in or confirmed their identity in the last hour. Use it for calls that move money or
 * give access. With `fields`, it is required only if the body has one of these fields. Wrap the route's other guards in
 * it: `...reauthenticated(withJsonBody(…))`.
 */
export function reauthenticated<Steps extends MiddlewareHandler[], Rest>(
  guard: Rest & { readonly middleware: [...Steps] },
  ...fields: readonly string[]
) {
  const { middleware, ...rest } = guard;
  const steps: [...Steps, StepWith<User>] = [...middleware, requireRecentConfirmation(fields)];
  return { ...rest, middleware: steps };
}

/** Returns a result that contains a new secret. Refuses if the member was removed while the secret was created. */
export async function unlessRemoved<Made>(
  c: Ctx & { get(name: "membership"): Membership },
  made: Outcome<Made>,
): Promise<Result<Made>> {
  if (!made.ok) return refused(made.refusal);
  const { id, workspaceId } = c.get("membership");
  const found = await readFromDatabase(c, "home", (database) => isActiveMember(database, { id, workspaceId }));
  if (!found.ok) return found;
  return found.value ? ok(made.answer) : refused({ code: "not_a_member" });
}

const requireRecentConfirmation = (fields: readonly string[]): StepWith<User> =>
  createMiddleware(async (c, next) => {
    const body = c.get("body") ?? {};
    const isSensitive = fields.length === 0 || fields.some((field) => body[field] !== undefined);
    return isSensitive && !isRecentlyConfirmed(c, c.get("confirmedAt"))
      ? refuse(c, { code: "reauthenticate" })
      : next();
  });

const requireOwnOrigin = (count: Count): Step =>
  createMiddleware<AppEnv>(async (c, next) => {
    const refusal = refusalOfOrigin(c) ?? (await count(c));
    return refusal === undefined ? next() : refuse(c, refusal);
  });

function setUser(
  c: { set<Name extends keyof User>(name: Name, value: User[Name]): void },
  { userId, confirmedAt, signedInAt, identityId }: SignedInUser,
): void {
  c.set("userId", userId);
  c.set("confirmedAt", confirmedAt);
  c.set("signedInAt", signedInAt);
  c.set("identityId", identityId);
}

const requireUser: StepWith<User> = createMiddleware(async (c, next) => {
  const user = await authorizeUser(c);
  if (!user.ok) return refuse(c, user.refusal);
  setUser(c, user.value);
  return next();
});

const requireProvider: StepWith<User> = createMiddleware(async (c, next) => {
  const refusal = await refusalOfPassword(c, { userId: c.get("userId"), identityId: c.get("identityId") });
  return refusal === undefined ? next() : refuse(c, refusal);
});

const requireUnbound: StepWith<User> = createMiddleware(async (c, next) => {
  const refusal = await refusalOfBound(c, { userId: c.get("userId"), identityId: c.get("identityId") });
  return refusal === undefined ? next() : refuse(c, refusal);
});

const countUser = (count: (c: Ctx, userId: string) => Promise<Refusal | undefined>): StepWith<User> =>
  createMiddleware(async (c, next) => {
    const refusal = await count(c, c.get("userId"));
    return refusal === undefined ? next() : refuse(c, refusal);
  });

const readProgramScope = (c: Ctx, asked: Asked<ProgramId>) =>
  readFromShards(c, (databaseOf) => loadProgramScope(databaseOf, asked, shardOfProgram(c.env, asked.id)));

const readWorkspaceScope = (c: Ctx, asked: Asked<string>) =>
  readFromDatabase(c, "home", (database) => loadWorkspaceScope(database, asked));

const requireInProgram = (role: Role, resolve: ResolveScope<number>, limit?: UserLimit): StepWith<InProgram> =>
  createMiddleware(async (c, next) => {
    const scope = await authorizeScope(c, resolve, readProgramScope, limit);
    if (!scope.ok) return refuse(c, scope.refusal);
    const { user, program } = scope.value;
    const unbound = await refusalOfPassword(c, user);
    if (unbound !== undefined) return refuse(c, unbound);
    if (program === undefined) return refuse(c, notFound("program"));
    c.get("log").programId = program.id;
    c.get("log").shard = program.shard;
    const membership = authorizeMember(c, scope.value.membership, role);
    if (!membership.ok) return refuse(c, membership.refusal);
    setUser(c, user);
    c.set("membership", membership.value);
    c.set("program", program);
    return next();
  });

const requireInWorkspace = (
  role: Role,
  resolve: ResolveScope<string>,
  authorize: AuthorizeMember = authorizeMember,
): StepWith<InWorkspace> =>
  createMiddleware(async (c, next) => {
    const scope = await authorizeScope(c, resolve, readWorkspaceScope);
    if (!scope.ok) return refuse(c, scope.refusal);
    const { user, workspace } = scope.value;
    const unbound = await refusalOfPassword(c, user);
    if (unbound !== undefined) return refuse(c, unbound);
    if (workspace === undefined) return refuse(c, notFound("workspace"));
    const membership = authorize(c, scope.value.membership, role);
    if (!membership.ok) return refuse(c, membership.refusal);
    setUser(c, user);
    c.set("membership", membership.value);
    c.set("workspace", workspace);
    return next();
  });
