import {
  and,
  asc,
  type Column,
  count,
  eq,
  exists,
  inArray,
  isNull,
  ne,
  not,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { caps } from "#domain/caps.ts";
import type { ProgramId, Shard } from "#domain/ids.ts";
import type { Role } from "#domain/role.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { workspaceAuditEntries as entries, invitations, memberships } from "../schema/members.ts";
import { programPlaces } from "../schema/places.ts";
import { users } from "../schema/users.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, unencoded, write } from "../statement.ts";
import { hasSecondFactor } from "./second-factors.ts";
import { type Actor, entryOfOperation, ifEntryWritten, insertEntryOf } from "./workspace-audit.ts";

type MemberRef = { readonly id: string; readonly workspaceId: string };

const selectMembers = (db: Compiler) =>
  db
    .select({
      id: memberships.id,
      userId: memberships.userId,
      email: users.email,
      name: users.name,
      role: memberships.role,
      status: memberships.status,
      twoFactor: sql<boolean>`${hasSecondFactor(db, users.id)}`.mapWith(Boolean).as("two_factor"),
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId));
export type Member = RowOf<typeof selectMembers>;

const membersOfWorkspace = readAll<{ workspaceId: string }, Member>((db) =>
  selectMembers(db)
    .where(eq(memberships.workspaceId, given("workspaceId")))
    .orderBy(asc(memberships.createdAt), asc(memberships.id)),
);

const isMember = and(eq(memberships.id, given("id")), eq(memberships.workspaceId, given("workspaceId")));

const memberOfWorkspace = readFirst<MemberRef, Member>((db) => selectMembers(db).where(isMember));

const otherOwner = readFirst<MemberRef, { id: string }>((db) =>
  db
    .select({ id: memberships.id })
    .from(memberships)
    .where(
      and(
        eq(memberships.workspaceId, given("workspaceId")),
        ne(memberships.id, given("id")),
        isActiveOwner(memberships),
      ),
    )
    .limit(1),
);

export interface PlacedProgram {
  readonly programId: ProgramId;
  readonly shard: Shard;
}

const programsOfWorkspace = readAll<{ workspaceId: string }, PlacedProgram>((db) =>
  db
    .select({ programId: programPlaces.programId, shard: programPlaces.shard })
    .from(programPlaces)
    .where(eq(programPlaces.workspaceId, given("workspaceId")))
    .orderBy(programPlaces.programId),
);

/** Returns false if the member is suspended, or the membership doesn't exist. */
export async function isActiveMember(database: Database, ref: MemberRef): Promise<boolean> {
  const member = await readOne(database, memberOfWorkspace(ref));
  return member?.status === "active";
}

export function readLeavingMember(database: Database, ref: MemberRef) {
  const reads = {
    member: memberOfWorkspace(ref),
    otherOwner: otherOwner(ref),
    programs: programsOfWorkspace({ workspaceId: ref.workspaceId }),
  };
  return readBatch(database, reads);
}

export const isActiveOwner = ({ role, status }: { readonly role: Column; readonly status: Column }) =>
  and(eq(role, "owner"), eq(status, "active"));

/**
 * A condition for the statement that makes a user an owner, so that two concurrent requests can't both use the last
 * slot.
 */
export const ownsFewerThanCap = (db: Compiler, userId: SQLWrapper = given("userId")) => {
  const owned = alias(memberships, "owned");
  const ownedByUser = db
    .select({ n: count() })
    .from(owned)
    .where(and(eq(owned.userId, userId), isActiveOwner(owned)));
  return sql`(${ownedByUser}) < ${caps.ownedWorkspaces.max}`;
};

/**
 * A condition for the statement that removes an owner, so that two concurrent requests can't remove the last two
 * owners.
 */
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

/**
 * True if the actor is still an active owner when the statement runs. Condition for changes that only owners may make.
 */
export const isByOwner = (db: Compiler) => {
  const actor = alias(memberships, "actor");
  const isActor = and(eq(actor.workspaceId, given("workspaceId")), eq(actor.userId, given("actorId")));
  return exists(
    db
      .select({ id: actor.id })
      .from(actor)
      .where(and(isActor, isActiveOwner(actor))),
  );
};

const ownerOfWorkspace = readFirst<{ workspaceId: string; actorId: string }, { id: string }>((db) =>
  db
    .select({ id: memberships.id })
    .from(memberships)
    .where(
      and(
        eq(memberships.workspaceId, given("workspaceId")),
        eq(memberships.userId, given("actorId")),
        isActiveOwner(memberships),
      ),
    ),
);

const subject = sql`'member ' || ${memberships.id}`;

export interface MemberChanges {
  readonly role: Role | undefined;
  readonly status: Member["status"] | undefined;
}

const newRole = sql`coalesce(${unencoded("role")}, ${memberships.role})`;
const newStatus = sql`coalesce(${unencoded("status")}, ${memberships.status})`;

const insertChangeEntry = write<MemberRef & Actor & { role: string | null; status: string | null }>((db) => {
  const endsAsOwner = sql`(${newRole} = 'owner' and ${newStatus} = 'active')`;
  const mayBeOwner = or(isActiveOwner(memberships), ownsFewerThanCap(db, memberships.userId));
  const mayCeaseToBe = or(isNoActiveOwner(), leavesAnOwner(db));
  const differs = sql`(${newRole} <> ${memberships.role} or ${newStatus} <> ${memberships.status})`;
  // Null if the value doesn't change, because json_patch omits nulls.
  const differing = (column: Column, changed: SQL, value: SQL | Column) =>
    sql`case when ${changed} <> ${column} then ${value} end`;
  const state = (role: SQL | Column, status: SQL | Column) =>
    sql`json_patch('{}', json_object('userId', ${memberships.userId}, 'role', ${differing(memberships.role, newRole, role)}, 'status', ${differing(memberships.status, newStatus, status)}))`;
  const mayChange = or(and(endsAsOwner, mayBeOwner), and(not(endsAsOwner), mayCeaseToBe));
  return insertEntryOf(db, memberships, and(isMember, differs, mayChange, isByOwner(db)), {
    workspaceId: memberships.workspaceId,
    action: "member.updated",
    subject,
    before: state(memberships.role, memberships.status),
    after: state(newRole, newStatus),
  });
});

const changeMember = write<MemberRef & { role: string | null; status: string | null }>((db) =>
  db.update(memberships).set({ role: newRole, status: newStatus }).where(and(isMember, ifEntryWritten)),
);

const endOf = (action: "member.removed" | "member.left") => ({
  workspaceId: memberships.workspaceId,
  action,
  subject,
  before: sql`json_object('userId', ${memberships.userId}, 'role', ${memberships.role}, 'status', ${memberships.status})`,
});

const mayEnd = (db: Compiler) => or(isNoActiveOwner(), leavesAnOwner(db));

const insertRemovalEntry = write<MemberRef & Actor>((db) =>
  insertEntryOf(db, memberships, and(isMember, mayEnd(db), isByOwner(db)), endOf("member.removed")),
);

const isOwn = and(
  eq(memberships.workspaceId, given("workspaceId")),
  eq(memberships.userId, given("actorId")),
  eq(memberships.status, "active"),
);

const insertLeaveEntry = write<{ workspaceId: string } & Actor>((db) =>
  insertEntryOf(db, memberships, and(isOwn, mayEnd(db)), endOf("member.left")),
);

const deleteOwnMembership = write<{ workspaceId: string; actorId: string }>((db) =>
  db.delete(memberships).where(and(isOwn, ifEntryWritten)),
);

const ownMembership = readFirst<{ workspaceId: string; actorId: string }, { id: string }>((db) =>
  db.select({ id: memberships.id }).from(memberships).where(isOwn),
);

const deleteMember = write<MemberRef>((db) => db.delete(memberships).where(and(isMember, ifEntryWritten)));

/**
 * Revokes open invitations whose creator is no longer an active owner. Otherwise they would become valid again if that
 * person became an owner again. If a member was removed or left, invitations to their address are revoked too. A
 * removed member may also have a link that was meant for another person, so every link for an owner or admin is
 * revoked.
 */
const endInvitations = write<Actor & { workspaceId: string }>((db) => {
  const owner = alias(memberships, "owner");
  const isInviter = and(eq(owner.workspaceId, invitations.workspaceId), eq(owner.userId, invitations.invitedBy));
  const vouched = exists(
    db
      .select({ id: owner.id })
      .from(owner)
      .where(and(isInviter, isActiveOwner(owner))),
  );
  const isOfOperation = eq(entries.operationId, given("operationId"));
  const isRemoval = and(isOfOperation, eq(entries.action, "member.removed"));
  const gone = db
    .select({ email: users.email })
    .from(entries)
    .innerJoin(users, eq(users.id, sql`json_extract(${entries.before}, '$.userId')`))
    .where(and(isOfOperation, inArray(entries.action, ["member.removed", "member.left"])));
  const isOfRemoval = exists(db.select({ id: entries.id }).from(entries).where(isRemoval));
  return db
    .update(invitations)
    .set({ revokedAt: unencoded("at") })
    .where(
      and(
        eq(invitations.workspaceId, given("workspaceId")),
        isNull(invitations.acceptedAt),
        isNull(invitations.revokedAt),
        or(not(vouched), sql`lower(${invitations.email}) in ${gone}`, and(isOfRemoval, ne(invitations.role, "viewer"))),
      ),
    );
});

export async function listMembers(database: Database, workspaceId: string): Promise<readonly Member[]> {
  return await readOne(database, membersOfWorkspace({ workspaceId }));
}

type Changed =
  | { readonly outcome: "changed"; readonly member: Member }
  | { readonly outcome: "missing" | "last_owner" | "cap_reached" | "not_a_member" };

export async function updateMember(
  database: Database,
  ref: MemberRef,
  { role, status }: MemberChanges,
  actor: Actor,
): Promise<Changed> {
  const values = { ...ref, role: role ?? null, status: status ?? null };
  const read = memberOfWorkspace(ref);
  const [, , , found, made, owner] = await writeWithRetry(database, [
    insertChangeEntry({ ...values, ...actor }),
    changeMember(values),
    endInvitations({ ...actor, workspaceId: ref.workspaceId }),
    read,
    entryOfOperation(actor),
    ownerOfWorkspace({ ...ref, actorId: actor.actorId }),
  ]);
  const member = read.decode(found ?? []);
  if (member === undefined) return { outcome: "missing" };
  if (made?.length === 1) return { outcome: "changed", member };
  if (owner?.length !== 1) return { outcome: "not_a_member" };
  const asked = { role: role ?? member.role, status: status ?? member.status };
  if (member.role === asked.role && member.status === asked.status) return { outcome: "changed", member };
  return { outcome: asked.role === "owner" && asked.status === "active" ? "cap_reached" : "last_owner" };
}

export async function removeMember(
  database: Database,
  ref: MemberRef,
  actor: Actor,
): Promise<"removed" | "missing" | "last_owner" | "not_a_member"> {
  const [, , , found, made, owner] = await writeWithRetry(database, [
    insertRemovalEntry({ ...ref, ...actor }),
    deleteMember(ref),
    endInvitations({ ...actor, workspaceId: ref.workspaceId }),
    memberOfWorkspace(ref),
    entryOfOperation(actor),
    ownerOfWorkspace({ ...ref, actorId: actor.actorId }),
  ]);
  if (made?.length === 1) return "removed";
  if (owner?.length !== 1) return "not_a_member";
  return found?.length === 1 ? "last_owner" : "missing";
}

export async function leaveWorkspace(
  database: Database,
  workspaceId: string,
  actor: Actor,
): Promise<"left" | "last_owner" | "not_a_member"> {
  const [, , , found, made] = await writeWithRetry(database, [
    insertLeaveEntry({ workspaceId, ...actor }),
    deleteOwnMembership({ workspaceId, actorId: actor.actorId }),
    endInvitations({ ...actor, workspaceId }),
    ownMembership({ workspaceId, actorId: actor.actorId }),
    entryOfOperation(actor),
  ]);
  if (made?.length === 1) return "left";
  return found?.length === 1 ? "last_owner" : "not_a_member";
}
