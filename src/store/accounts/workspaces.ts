import { and, asc, type Column, eq, exists, ne, not, or, type SQL, sql } from "drizzle-orm";
import type { SignUpMode } from "#domain/sign-up.ts";
import { type Database, readBatch } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { memberships } from "../schema/members.ts";
import { signUpTokens, users } from "../schema/users.ts";
import { workspaces } from "../schema/workspaces.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, unencoded, write } from "../statement.ts";
import { deletedEmail } from "./deleted-users.ts";
import { isActiveOwner, isByOwner, ownsFewerThanCap } from "./members.ts";
import { hasSecondFactor } from "./second-factors.ts";
import { type Actor, ifEntryWritten, insertEntryOf } from "./workspace-audit.ts";

const selectOwn = (db: Compiler) =>
  db
    .select({
      id: workspaces.id,
      name: workspaces.name,
      role: memberships.role,
      requireTwoFactor: workspaces.requireTwoFactor,
    })
    .from(memberships)
    .innerJoin(workspaces, eq(workspaces.id, memberships.workspaceId));
export type OwnWorkspace = RowOf<typeof selectOwn>;

const isOwnedByUser = and(eq(memberships.userId, given("userId")), isActiveOwner(memberships));

/**
 * True if the user may create a workspace. If sign-up is by invitation, only active owners and users who used a sign-up
 * token may.
 */
const mayCreate = (db: Compiler) =>
  and(
    ne(users.email, deletedEmail),
    or(
      sql`${unencoded("signUp")} = 'open'`,
      exists(db.select({ id: memberships.id }).from(memberships).where(isOwnedByUser)),
      exists(
        db
          .select({ one: sql`1` })
          .from(signUpTokens)
          .where(eq(signUpTokens.usedBy, given("userId"))),
      ),
    ),
  );

const insertWorkspace = write<{ id: string; name: string; userId: string; signUp: SignUpMode; at: number }>((db) =>
  db
    .insert(workspaces)
    .select(
      db
        .select({
          id: sql<string>`${unencoded("id")}`.as("id"),
          name: sql<string>`${unencoded("name")}`.as("name"),
          requireTwoFactor: sql<boolean>`0`.as("require_two_factor"),
          createdAt: sql<number>`${unencoded("at")}`.as("created_at"),
        })
        .from(users)
        .where(and(eq(users.id, given("userId")), mayCreate(db), ownsFewerThanCap(db))),
    )
    .onConflictDoNothing(),
);

const hasId = eq(workspaces.id, given("id"));

const insertFirstOwner = write<{ id: string; membershipId: string; userId: string; at: number }>((db) =>
  db
    .insert(memberships)
    .select(
      db
        .select({
          id: sql<string>`${unencoded("membershipId")}`.as("id"),
          workspaceId: workspaces.id,
          userId: sql<string>`${unencoded("userId")}`.as("user_id"),
          role: sql<"owner">`'owner'`.as("role"),
          status: sql<"active">`'active'`.as("status"),
          createdAt: sql<number>`${unencoded("at")}`.as("created_at"),
        })
        .from(workspaces)
        .where(hasId),
    )
    .onConflictDoNothing(),
);

const insertEntry = write<{ id: string } & Actor>((db) =>
  insertEntryOf(db, workspaces, hasId, {
    workspaceId: workspaces.id,
    action: "workspace.created",
    subject: sql`'workspace ' || ${workspaces.id}`,
    after: sql`json_object('name', ${workspaces.name})`,
  }),
);

const workspaceById = readFirst<{ id: string }, { id: string }>((db) =>
  db.select({ id: workspaces.id }).from(workspaces).where(hasId),
);

const workspacesOfUser = readAll<{ userId: string }, OwnWorkspace>((db) =>
  selectOwn(db)
    .where(and(eq(memberships.userId, given("userId")), eq(memberships.status, "active")))
    .orderBy(asc(workspaces.createdAt), asc(workspaces.id)),
);

const userWhoMayCreate = readFirst<{ userId: string; signUp: SignUpMode }, { id: string }>((db) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, given("userId")), mayCreate(db))),
);

export async function createWorkspace(
  database: Database,
  { id, name, membershipId }: { readonly id: string; readonly name: string; readonly membershipId: string },
  actor: Actor,
  signUp: SignUpMode,
): Promise<"created" | "not_allowed" | "cap_reached"> {
  const { actorId: userId, at } = actor;
  // Each request uses new ids, so a row with this id was written by this request.
  const results = await writeWithRetry(database, [
    insertWorkspace({ id, name, userId, signUp, at }),
    insertFirstOwner({ id, membershipId, userId, at }),
    insertEntry({ id, ...actor }),
    workspaceById({ id }),
    userWhoMayCreate({ userId, signUp }),
  ]);
  if (results[3]?.length === 1) return "created";
  return results[4]?.length === 1 ? "cap_reached" : "not_allowed";
}

export async function listWorkspaces(
  database: Database,
  userId: string,
  signUp: SignUpMode,
): Promise<{ readonly own: readonly OwnWorkspace[]; readonly mayCreate: boolean }> {
  const found = await readBatch(database, {
    own: workspacesOfUser({ userId }),
    creator: userWhoMayCreate({ userId, signUp }),
  });
  return { own: found.own, mayCreate: found.creator !== undefined };
}

export interface WorkspaceChanges {
  readonly name: string | undefined;
  readonly requireTwoFactor: boolean | undefined;
}

type ChangeValues = { readonly name: string | null; readonly requireTwoFactor: boolean | null };

const newName = sql`coalesce(${unencoded("name")}, ${workspaces.name})`;
const newRequirement = sql`coalesce(${unencoded("requireTwoFactor")}, ${workspaces.requireTwoFactor})`;

/** Only an owner with a second factor may require one, so that at least one owner isn't locked out. */
const mayRequire = (db: Compiler) =>
  or(not(newRequirement), sql`${workspaces.requireTwoFactor}`, hasSecondFactor(db, unencoded("actorId")));

const hasWorkspaceId = eq(workspaces.id, given("workspaceId"));

const insertUpdateEntry = write<{ workspaceId: string } & ChangeValues & Actor>((db) => {
  const differs = sql`(${newName} <> ${workspaces.name} or ${newRequirement} <> ${workspaces.requireTwoFactor})`;
  // Null if the value doesn't change, because json_patch omits nulls.
  const state = (name: SQL | Column, requirement: SQL | Column) =>
    sql`json_patch('{}', json_object('name', case when ${newName} <> ${workspaces.name} then ${name} end, 'requireTwoFactor', case when ${newRequirement} <> ${workspaces.requireTwoFactor} then json(iif(${requirement}, 'true', 'false')) end))`;
  return insertEntryOf(db, workspaces, and(hasWorkspaceId, differs, mayRequire(db), isByOwner(db)), {
    workspaceId: workspaces.id,
    action: "workspace.updated",
    subject: sql`'workspace ' || ${workspaces.id}`,
    before: state(workspaces.name, workspaces.requireTwoFactor),
    after: state(newName, newRequirement),
  });
});

const changeWorkspace = write<{ workspaceId: string } & ChangeValues>((db) =>
  db
    .update(workspaces)
    .set({ name: newName, requireTwoFactor: newRequirement })
    .where(and(hasWorkspaceId, ifEntryWritten)),
);

const ownWorkspace = readFirst<{ workspaceId: string; userId: string }, OwnWorkspace>((db) =>
  selectOwn(db).where(and(eq(memberships.workspaceId, given("workspaceId")), isOwnedByUser)),
);

export async function updateWorkspace(
  database: Database,
  workspaceId: string,
  { name = null, requireTwoFactor = null }: { readonly [K in keyof WorkspaceChanges]?: WorkspaceChanges[K] | null },
  actor: Actor,
): Promise<OwnWorkspace | "not_a_member" | "two_factor_required"> {
  const values = { workspaceId, name, requireTwoFactor };
  const found = ownWorkspace({ workspaceId, userId: actor.actorId });
  const results = await writeWithRetry(database, [
    insertUpdateEntry({ ...values, ...actor }),
    changeWorkspace(values),
    found,
  ]);
  const workspace = found.decode(results[2] ?? []);
  if (workspace === undefined) return "not_a_member";
  const isUnmet = requireTwoFactor === true && !workspace.requireTwoFactor;
  return isUnmet ? "two_factor_required" : workspace;
}
