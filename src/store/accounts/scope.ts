import { and, eq, gt, sql } from "drizzle-orm";
import type { Role } from "../../domain/role.ts";
import { type Database, readBatch } from "../database.ts";
import { programs } from "../schema/programs.ts";
import { sessions } from "../schema/users.ts";
import { memberships, workspaces } from "../schema/workspaces.ts";
import { readFirst } from "../statement.ts";

export interface Membership {
  readonly id: string;
  readonly workspaceId: string;
  readonly role: Role;
  readonly status: "active" | "suspended";
}

export interface ProgramScope {
  readonly id: number;
  readonly workspaceId: string;
  readonly name: string;
  readonly currency: string;
  readonly timezone: string;
}

export interface WorkspaceScope {
  readonly id: string;
  readonly name: string;
}

/** Undefined `userId`: the session is unknown or has ended. */
export interface Scope {
  readonly userId: string | undefined;
  readonly membership: Membership | undefined;
}

const token = sql.placeholder("token");

const userOfSession = readFirst<{ token: string; at: number }, { id: string }>((db) =>
  db
    .select({ id: sessions.userId })
    .from(sessions)
    .where(and(eq(sessions.token, token), gt(sessions.expiresAt, sql.placeholder("at")))),
);

const membershipColumns = {
  id: memberships.id,
  workspaceId: memberships.workspaceId,
  role: memberships.role,
  status: memberships.status,
};

const membershipInWorkspace = readFirst<{ token: string; id: string }, Membership>((db) =>
  db
    .select(membershipColumns)
    .from(sessions)
    .innerJoin(memberships, eq(memberships.userId, sessions.userId))
    .where(and(eq(sessions.token, token), eq(memberships.workspaceId, sql.placeholder("id")))),
);

const membershipInProgram = readFirst<{ token: string; id: number }, Membership>((db) =>
  db
    .select(membershipColumns)
    .from(sessions)
    .innerJoin(programs, eq(programs.id, sql.placeholder("id")))
    .innerJoin(
      memberships,
      and(eq(memberships.userId, sessions.userId), eq(memberships.workspaceId, programs.workspaceId)),
    )
    .where(eq(sessions.token, token)),
);

const programById = readFirst<{ id: number }, ProgramScope>((db) =>
  db
    .select({
      id: programs.id,
      workspaceId: programs.workspaceId,
      name: programs.name,
      currency: programs.currency,
      timezone: programs.timezone,
    })
    .from(programs)
    .where(eq(programs.id, sql.placeholder("id"))),
);

const workspaceById = readFirst<{ id: string }, WorkspaceScope>((db) =>
  db
    .select({ id: workspaces.id, name: workspaces.name })
    .from(workspaces)
    .where(eq(workspaces.id, sql.placeholder("id"))),
);

export async function findUser(database: Database, sessionToken: string, at: number): Promise<string | undefined> {
  const { user } = await readBatch(database, { user: userOfSession({ token: sessionToken, at }) });
  return user?.id;
}

export async function loadProgramScope(
  database: Database,
  sessionToken: string,
  id: number,
  at: number,
): Promise<Scope & { readonly program: ProgramScope | undefined }> {
  const { user, ...found } = await readBatch(database, {
    user: userOfSession({ token: sessionToken, at }),
    membership: membershipInProgram({ token: sessionToken, id }),
    program: programById({ id }),
  });
  return { userId: user?.id, ...found };
}

export async function loadWorkspaceScope(
  database: Database,
  sessionToken: string,
  id: string,
  at: number,
): Promise<Scope & { readonly workspace: WorkspaceScope | undefined }> {
  const { user, ...found } = await readBatch(database, {
    user: userOfSession({ token: sessionToken, at }),
    membership: membershipInWorkspace({ token: sessionToken, id }),
    workspace: workspaceById({ id }),
  });
  return { userId: user?.id, ...found };
}
