import { and, asc, type Column, eq, exists, gt, isNull, ne, not, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Role } from "../domain/role.ts";
import { writeBeside } from "./beside.ts";
import { type Database, readAtOnce } from "./database.ts";
import { invitations, memberships, users, workspaces } from "./schema.ts";
import { type Compiler, everyColumn, param, readAll, readFirst, write } from "./statement.ts";

type WorkspaceRow = typeof workspaces.$inferSelect;
type MembershipRow = typeof memberships.$inferSelect;
type InvitationRow = typeof invitations.$inferSelect;

export interface OwnWorkspace {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

export interface Member {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly status: "active" | "suspended";
}

const given = sql.placeholder;

// Under ids that each request mints: a row that is there already was written by the same one.
const insertWorkspace = write<WorkspaceRow>((db) =>
  db.insert(workspaces).values(everyColumn(workspaces)).onConflictDoNothing(),
);
const insertMembership = write<MembershipRow>((db) =>
  db.insert(memberships).values(everyColumn(memberships)).onConflictDoNothing(),
);
const insertInvitation = write<InvitationRow>((db) =>
  db.insert(invitations).values(everyColumn(invitations)).onConflictDoNothing(),
);

const workspacesOfUser = readAll<{ userId: string }, OwnWorkspace>((db) =>
  db
    .select({ id: workspaces.id, name: workspaces.name, role: memberships.role })
    .from(memberships)
    .innerJoin(workspaces, eq(workspaces.id, memberships.workspaceId))
    .where(and(eq(memberships.userId, given("userId")), eq(memberships.status, "active")))
    .orderBy(asc(workspaces.createdAt), asc(workspaces.id)),
);

const selectMembers = (db: Compiler) =>
  db
    .select({
      id: memberships.id,
      userId: memberships.userId,
      email: users.email,
      name: users.name,
      role: memberships.role,
      status: memberships.status,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId));

const membersOfWorkspace = readAll<{ workspaceId: string }, Member>((db) =>
  selectMembers(db)
    .where(eq(memberships.workspaceId, given("workspaceId")))
    .orderBy(asc(memberships.createdAt), asc(memberships.id)),
);

const isMember = and(eq(memberships.id, given("id")), eq(memberships.workspaceId, given("workspaceId")));

const memberOfWorkspace = readFirst<{ id: string; workspaceId: string }, Member>((db) =>
  selectMembers(db).where(isMember),
);

const isActiveOwner = ({ role, status }: { readonly role: Column; readonly status: Column }) =>
  and(eq(role, "owner"), eq(status, "active"));

/** Judged by the statement that takes an owner away: of two that would take the last two, the second finds one left. */
const leavesAnOwner = (db: Compiler) => {
  const other = alias(memberships, "other");
  const isOther = and(eq(other.workspaceId, memberships.workspaceId), ne(other.id, memberships.id));
  return exists(
    db
      .select({ id: other.id })
      .from(other)
      .where(and(isOther, isActiveOwner(other))),
  );
};

const isNoActiveOwner = () => not(sql`(${isActiveOwner(memberships)})`);

export interface MemberChanges {
  readonly role: Role | undefined;
  readonly status: "active" | "suspended" | undefined;
}

const changeMember = write<{ id: string; workspaceId: string; role: string | null; status: string | null }>((db) => {
  const role = sql`coalesce(${param("role")}, ${memberships.role})`;
  const status = sql`coalesce(${param("status")}, ${memberships.status})`;
  const staysOwner = sql`(${role} = 'owner' and ${status} = 'active')`;
  return db
    .update(memberships)
    .set({ role, status })
    .where(and(isMember, or(isNoActiveOwner(), staysOwner, leavesAnOwner(db))))
    .returning({ id: memberships.id });
});

const deleteMember = write<{ id: string; workspaceId: string }>((db) =>
  db
    .delete(memberships)
    .where(and(isMember, or(isNoActiveOwner(), leavesAnOwner(db))))
    .returning({ id: memberships.id }),
);

/** Neither used nor expired, and whoever made it may still make one. */
const isOpen = (db: Compiler) => {
  const inviter = alias(memberships, "inviter");
  const isInviter = and(eq(inviter.workspaceId, invitations.workspaceId), eq(inviter.userId, invitations.invitedBy));
  return and(
    eq(invitations.tokenHash, given("tokenHash")),
    isNull(invitations.acceptedAt),
    gt(invitations.expiresAt, given("at")),
    exists(
      db
        .select({ id: inviter.id })
        .from(inviter)
        .where(and(isInviter, isActiveOwner(inviter))),
    ),
  );
};

interface Acceptance {
  /** Of the membership that comes of it. */
  readonly id: string;
  readonly tokenHash: string;
  readonly userId: string;
  readonly at: number;
}

const admit = write<Acceptance & Record<string, unknown>>((db) =>
  db
    .insert(memberships)
    .select(
      db
        .select({
          id: sql`${given("id")}`.as("id"),
          workspaceId: invitations.workspaceId,
          userId: sql`${given("userId")}`.as("user_id"),
          role: invitations.role,
          status: sql`'active'`.as("status"),
          createdAt: sql`${given("at")}`.as("created_at"),
        })
        .from(invitations)
        .where(isOpen(db)),
    )
    .onConflictDoNothing(),
);

const useUp = write<Acceptance & Record<string, unknown>>((db) =>
  db
    .update(invitations)
    .set({ acceptedAt: sql`${given("at")}` })
    .where(
      and(
        isOpen(db),
        exists(
          db
            .select({ id: memberships.id })
            .from(memberships)
            .where(eq(memberships.id, given("id"))),
        ),
      ),
    ),
);

const admitted = readFirst<{ id: string }, { workspaceId: string; role: Role }>((db) =>
  db
    .select({ workspaceId: memberships.workspaceId, role: memberships.role })
    .from(memberships)
    .where(eq(memberships.id, given("id"))),
);

const openInvitation = readFirst<{ tokenHash: string; at: number }, { id: string }>((db) =>
  db.select({ id: invitations.id }).from(invitations).where(isOpen(db)),
);

/** A workspace with its first owner. */
export async function createWorkspace(
  database: Database,
  workspace: WorkspaceRow,
  owner: { readonly membershipId: string; readonly userId: string },
): Promise<void> {
  await writeBeside(database, [
    insertWorkspace(workspace),
    insertMembership({
      id: owner.membershipId,
      workspaceId: workspace.id,
      userId: owner.userId,
      role: "owner",
      status: "active",
      createdAt: workspace.createdAt,
    }),
  ]);
}

export async function listWorkspaces(database: Database, userId: string): Promise<readonly OwnWorkspace[]> {
  return (await readAtOnce(database, { own: workspacesOfUser({ userId }) })).own;
}

export async function listMembers(database: Database, workspaceId: string): Promise<readonly Member[]> {
  return (await readAtOnce(database, { members: membersOfWorkspace({ workspaceId }) })).members;
}

type Changed =
  | { readonly outcome: "changed"; readonly member: Member }
  | { readonly outcome: "missing" | "last_owner" };

export async function updateMember(
  database: Database,
  place: { readonly id: string; readonly workspaceId: string },
  { role = null, status = null }: { readonly [Name in keyof MemberChanges]: MemberChanges[Name] | null },
): Promise<Changed> {
  const read = memberOfWorkspace(place);
  const [changed, found] = await writeBeside(database, [changeMember({ ...place, role, status }), read]);
  const member = read.decode(found ?? []);
  if (member === undefined) return { outcome: "missing" };
  return changed?.length === 1 ? { outcome: "changed", member } : { outcome: "last_owner" };
}

export async function removeMember(
  database: Database,
  place: { readonly id: string; readonly workspaceId: string },
): Promise<"removed" | "missing" | "last_owner"> {
  const [removed, found] = await writeBeside(database, [deleteMember(place), memberOfWorkspace(place)]);
  if (removed?.length === 1) return "removed";
  return found?.length === 1 ? "last_owner" : "missing";
}

export async function createInvitation(database: Database, invitation: InvitationRow): Promise<void> {
  await writeBeside(database, [insertInvitation(invitation)]);
}

type Accepted =
  | { readonly outcome: "accepted"; readonly workspaceId: string; readonly role: Role }
  | { readonly outcome: "invalid" | "already_a_member" };

/** Makes whoever holds an invitation a member, and uses it up, at once. One who is a member already uses up nothing. */
export async function acceptInvitation(database: Database, acceptance: Acceptance): Promise<Accepted> {
  const { id, tokenHash, userId, at } = acceptance;
  const values = { id, tokenHash, userId, at };
  const membership = admitted({ id });
  const results = await writeBeside(database, [
    admit(values),
    useUp(values),
    membership,
    openInvitation({ tokenHash, at }),
  ]);
  const place = membership.decode(results[2] ?? []);
  if (place !== undefined) return { outcome: "accepted", ...place };
  return { outcome: results[3]?.length === 1 ? "already_a_member" : "invalid" };
}
