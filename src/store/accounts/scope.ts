import { and, eq, gt, not, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import type { Role } from "#domain/role.ts";
import { type Database, readBatch } from "../database.ts";
import { programs } from "../schema/programs.ts";
import { sessions } from "../schema/users.ts";
import { memberships, workspaces } from "../schema/workspaces.ts";
import { type Compiler, readFirst } from "../statement.ts";
import { hasSecondFactor } from "./second-factors.ts";

export interface Membership {
  readonly id: string;
  readonly workspaceId: string;
  readonly role: Role;
  readonly status: "active" | "suspended";
  /** The workspace requires a second factor, and this user has none. */
  readonly lacksTwoFactor: boolean;
}

export interface ProgramScope {
  readonly id: ProgramId;
  readonly workspaceId: string;
  readonly name: string;
  readonly currency: string;
  readonly timezone: string;
}

export interface WorkspaceScope {
  readonly id: string;
  readonly name: string;
}

export interface SignedInUser {
  readonly userId: string;
  /** Instant of the sign-in, or of the last time that the user confirmed who they are. */
  readonly confirmedAt: number;
}

/** Undefined `user`: the session is unknown or has ended. */
export interface Scope {
  readonly user: SignedInUser | undefined;
  readonly membership: Membership | undefined;
}

const token = sql.placeholder("token");

const userOfSession = readFirst<{ token: string; at: number }, SignedInUser>((db) =>
  db
    .select({ userId: sessions.userId, confirmedAt: sessions.confirmedAt })
    .from(sessions)
    .where(and(eq(sessions.token, token), gt(sessions.expiresAt, sql.placeholder("at")))),
);

const membershipColumns = (db: Compiler) => ({
  id: memberships.id,
  workspaceId: memberships.workspaceId,
  role: memberships.role,
  status: memberships.status,
  lacksTwoFactor:
    sql<boolean>`${and(eq(workspaces.requireTwoFactor, true), not(hasSecondFactor(db, memberships.userId)))}`
      .mapWith(Boolean)
      .as("lacks_two_factor"),
});

const membershipInWorkspace = readFirst<{ token: string; id: string }, Membership>((db) =>
  db
    .select(membershipColumns(db))
    .from(sessions)
    .innerJoin(memberships, eq(memberships.userId, sessions.userId))
    .innerJoin(workspaces, eq(workspaces.id, memberships.workspaceId))
    .where(and(eq(sessions.token, token), eq(memberships.workspaceId, sql.placeholder("id")))),
);

const membershipInProgram = readFirst<{ token: string; id: ProgramId }, Membership>((db) =>
  db
    .select(membershipColumns(db))
    .from(sessions)
    .innerJoin(programs, eq(programs.id, sql.placeholder("id")))
    .innerJoin(
      memberships,
      and(eq(memberships.userId, sessions.userId), eq(memberships.workspaceId, programs.workspaceId)),
    )
    .innerJoin(workspaces, eq(workspaces.id, memberships.workspaceId))
    .where(eq(sessions.token, token)),
);

const programById = readFirst<{ id: ProgramId }, ProgramScope>((db) =>
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

export async function findUser(
  database: Database,
  sessionToken: string,
  at: number,
): Promise<SignedInUser | undefined> {
  return (await readBatch(database, { user: userOfSession({ token: sessionToken, at }) })).user;
}

export async function loadProgramScope(
  database: Database,
  sessionToken: string,
  id: ProgramId,
  at: number,
): Promise<Scope & { readonly program: ProgramScope | undefined }> {
  return readBatch(database, {
    user: userOfSession({ token: sessionToken, at }),
    membership: membershipInProgram({ token: sessionToken, id }),
    program: programById({ id }),
  });
}

export async function loadWorkspaceScope(
  database: Database,
  sessionToken: string,
  id: string,
  at: number,
): Promise<Scope & { readonly workspace: WorkspaceScope | undefined }> {
  return readBatch(database, {
    user: userOfSession({ token: sessionToken, at }),
    membership: membershipInWorkspace({ token: sessionToken, id }),
    workspace: workspaceById({ id }),
  });
}
