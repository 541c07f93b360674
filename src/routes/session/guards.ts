import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Role } from "../../domain/role.ts";
import type { AppEnv } from "../../http/context.ts";
import { refuse } from "../../http/refusal/refuse.ts";
import type * as z from "../../http/schema/zod.ts";
import {
  loadProgramScope,
  loadWorkspaceScope,
  type Membership,
  type ProgramScope,
  type WorkspaceScope,
} from "../../store/accounts/scope.ts";
import {
  authorizeMember,
  authorizeScope,
  authorizeUser,
  programInBody,
  programInPath,
  type ResolveScope,
  refusalOfOrigin,
  workspaceInBody,
  workspaceInPath,
  workspaceInQuery,
} from "./authorize.ts";

type Step = MiddlewareHandler<AppEnv>;
type StepWith<Variables extends object> = MiddlewareHandler<AppEnv & { Variables: Variables }>;

interface User {
  userId: string;
}
interface InProgram extends User {
  membership: Membership;
  program: ProgramScope;
}
interface InWorkspace extends User {
  membership: Membership;
  workspace: WorkspaceScope;
}

// Refusals that every endpoint of a kind can return. A write that isn't JSON is a `foreign_origin`.
export const sessionRefusals = ["https_required", "no_session", "rate_limited", "internal", "unavailable"] as const;
export const memberRefusals = ["not_found", "not_a_member", "role_too_low", ...sessionRefusals] as const;
export const writeRefusals = ["foreign_origin"] as const;
export const sessionWriteRefusals = [...writeRefusals, ...sessionRefusals] as const;
export const memberWriteRefusals = [...writeRefusals, ...memberRefusals] as const;
export const inputRefusals = ["invalid_input", "malformed_json", "payload_too_large"] as const;

const security = (...needed: Role[]) => [{ session: needed }];

// Spread a guard into a route: it sets OpenAPI's `security` and the middleware. Guards refuse in this order: no session,
// foreign origin, too many calls, no such program or workspace, not a member, role too low. `schema` refuses
// a body without the id.

export const fromOwnOrigin = () => {
  const middleware: [Step] = [requireOwnOrigin];
  return { security: [], middleware };
};

export const signedIn = () => {
  const middleware: [StepWith<User>] = [requireUser];
  return { security: security(), middleware };
};

export const programMember = (role: Role) => {
  const middleware: [StepWith<InProgram>] = [requireInProgram(role, programInPath)];
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

export const memberOfWorkspaceInBody = (role: Role, schema: z.ZodObject) => {
  const middleware: [StepWith<InWorkspace>] = [requireInWorkspace(role, workspaceInBody(schema))];
  return { security: security(role), middleware };
};

export const memberOfWorkspaceInQuery = (role: Role) => {
  const middleware: [StepWith<InWorkspace>] = [requireInWorkspace(role, workspaceInQuery)];
  return { security: security(role), middleware };
};

const requireOwnOrigin = createMiddleware<AppEnv>(async (c, next) => {
  const refusal = refusalOfOrigin(c);
  return refusal === undefined ? next() : refuse(c, refusal);
});

const requireUser: StepWith<User> = createMiddleware(async (c, next) => {
  const user = await authorizeUser(c);
  if (!user.ok) return refuse(c, user.refusal);
  c.set("userId", user.value);
  return next();
});

const requireInProgram = (role: Role, resolve: ResolveScope<number>): StepWith<InProgram> =>
  createMiddleware(async (c, next) => {
    const scope = await authorizeScope(c, resolve, loadProgramScope);
    if (!scope.ok) return refuse(c, scope.refusal);
    const { userId, program } = scope.value;
    if (program === undefined) return refuse(c, { code: "not_found", what: "program" });
    c.get("log").programId = program.id;
    const membership = authorizeMember(scope.value.membership, role);
    if (!membership.ok) return refuse(c, membership.refusal);
    c.set("userId", userId);
    c.set("membership", membership.value);
    c.set("program", program);
    return next();
  });

const requireInWorkspace = (role: Role, resolve: ResolveScope<string>): StepWith<InWorkspace> =>
  createMiddleware(async (c, next) => {
    const scope = await authorizeScope(c, resolve, loadWorkspaceScope);
    if (!scope.ok) return refuse(c, scope.refusal);
    const { userId, workspace } = scope.value;
    if (workspace === undefined) return refuse(c, { code: "not_found", what: "workspace" });
    const membership = authorizeMember(scope.value.membership, role);
    if (!membership.ok) return refuse(c, membership.refusal);
    c.set("userId", userId);
    c.set("membership", membership.value);
    c.set("workspace", workspace);
    return next();
  });
