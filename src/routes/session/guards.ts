import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Role } from "../../domain/role.ts";
import { jsonBody } from "../../http/body.ts";
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
  faultOfOrigin,
  programInBody,
  programInPath,
  type ResolveScope,
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

const security = (...needed: Role[]) => [{ session: needed }];

// Each of these is spread into a route: what OpenAPI says of who may call, and what holds it. They refuse in this
// order: no session, a write from elsewhere, too many calls, no such program or workspace, no membership in it, a role too low. Those
// that end in `AndBody` take a JSON body after that.

/** Anyone, from a page of ours. */
export const fromOwnOrigin = () => {
  const middleware: [Step] = [requireOwnOrigin];
  return { security: [], middleware };
};

export const fromOwnOriginAndBody = () => {
  const middleware: [Step, Step] = [requireOwnOrigin, jsonBody("application/json")];
  return { security: [], middleware };
};

/** Anyone with a session. Sets `userId`. */
export const signedIn = () => {
  const middleware: [StepWith<User>] = [requireUser];
  return { security: security(), middleware };
};

export const signedInAndBody = () => {
  const middleware: [StepWith<User>, Step] = [requireUser, jsonBody("application/json")];
  return { security: security(), middleware };
};

/** Whoever has at least this role where the path's `:programId` is. Sets `userId`, `membership`, `program`. */
export const programMember = (role: Role) => {
  const middleware: [StepWith<InProgram>] = [requireInProgram(role, programInPath)];
  return { security: security(role), middleware };
};

export const programMemberAndBody = (role: Role) => {
  const middleware: [StepWith<InProgram>, Step] = [requireInProgram(role, programInPath), jsonBody("application/json")];
  return { security: security(role), middleware };
};

/** The same where the body's `program_id` is. A body without one is refused by this schema. */
export const memberOfProgramInBody = (role: Role, schema: z.ZodObject) => {
  const middleware: [StepWith<InProgram>] = [requireInProgram(role, programInBody(schema))];
  return { security: security(role), middleware };
};

/** Whoever has at least this role in the path's `:workspaceId`. Sets `userId`, `membership`, `workspace`. */
export const workspaceMember = (role: Role) => {
  const middleware: [StepWith<InWorkspace>] = [requireInWorkspace(role, workspaceInPath)];
  return { security: security(role), middleware };
};

export const workspaceMemberAndBody = (role: Role) => {
  const middleware: [StepWith<InWorkspace>, Step] = [
    requireInWorkspace(role, workspaceInPath),
    jsonBody("application/json"),
  ];
  return { security: security(role), middleware };
};

/** The same in the body's `workspaceId`. A body without one is refused by this schema. */
export const memberOfWorkspaceInBody = (role: Role, schema: z.ZodObject) => {
  const middleware: [StepWith<InWorkspace>] = [requireInWorkspace(role, workspaceInBody(schema))];
  return { security: security(role), middleware };
};

/** The same in the query's `workspaceId`. */
export const memberOfWorkspaceInQuery = (role: Role) => {
  const middleware: [StepWith<InWorkspace>] = [requireInWorkspace(role, workspaceInQuery)];
  return { security: security(role), middleware };
};

const requireOwnOrigin = createMiddleware<AppEnv>(async (c, next) => {
  const refusal = faultOfOrigin(c);
  return refusal === undefined ? next() : refuse(c, refusal);
});

const requireUser: StepWith<User> = createMiddleware(async (c, next) => {
  const user = await authorizeUser(c);
  if (!user.ok) return refuse(c, user.refusal);
  c.set("userId", user.value);
  return next();
});

const requireInProgram = (role: Role, locate: ResolveScope<number>): StepWith<InProgram> =>
  createMiddleware(async (c, next) => {
    const sight = await authorizeScope(c, locate, (database, token, id) =>
      loadProgramScope(database, token, id, c.get("call").at),
    );
    if (!sight.ok) return refuse(c, sight.refusal);
    const { userId, program } = sight.value;
    if (program === undefined) return refuse(c, { code: "not_found", what: "program" });
    c.get("notes").programId = program.id;
    const membership = authorizeMember(sight.value.membership, role);
    if (!membership.ok) return refuse(c, membership.refusal);
    c.set("userId", userId);
    c.set("membership", membership.value);
    c.set("program", program);
    return next();
  });

const requireInWorkspace = (role: Role, locate: ResolveScope<string>): StepWith<InWorkspace> =>
  createMiddleware(async (c, next) => {
    const sight = await authorizeScope(c, locate, (database, token, id) =>
      loadWorkspaceScope(database, token, id, c.get("call").at),
    );
    if (!sight.ok) return refuse(c, sight.refusal);
    const { userId, workspace } = sight.value;
    if (workspace === undefined) return refuse(c, { code: "not_found", what: "workspace" });
    const membership = authorizeMember(sight.value.membership, role);
    if (!membership.ok) return refuse(c, membership.refusal);
    c.set("userId", userId);
    c.set("membership", membership.value);
    c.set("workspace", workspace);
    return next();
  });
