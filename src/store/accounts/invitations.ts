import { and, asc, count, eq, exists, gt, isNull, ne, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { caps } from "#domain/caps.ts";
import type { Role } from "#domain/role.ts";
import { type Database, readOne } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { invitations, memberships } from "../schema/members.ts";
import { users } from "../schema/users.ts";
import { workspaces } from "../schema/workspaces.ts";
import {
  type Compiler,
  given,
  type RowOf,
  readAll,
  readFirst,
  rowWhere,
  unencoded,
  type Write,
  write,
} from "../statement.ts";
import { isActiveOwner, isByOwner, ownsFewerThanCap } from "./members.ts";
import { type Actor, entryOfOperation, ifEntryWritten, insertEntryOf } from "./workspace-audit.ts";

type InvitationRow = typeof invitations.$inferSelect;

/** True if the invitation isn't used, revoked or expired, and its creator is still an active owner. */
const isOpen = (db: Compiler) => {
  const inviter = alias(memberships, "inviter");
  const isInviter = and(eq(inviter.workspaceId, invitations.workspaceId), eq(inviter.userId, invitations.invitedBy));
  return and(
    isNull(invitations.acceptedAt),
    isNull(invitations.revokedAt),
    gt(invitations.expiresAt, given("at")),
    exists(
      db
        .select({ id: inviter.id })
        .from(inviter)
        .where(and(isInviter, isActiveOwner(inviter))),
    ),
  );
};

const hasToken = eq(invitations.tokenHash, given("tokenHash"));
const isOpenOfToken = (db: Compiler) => and(hasToken, isOpen(db));
const subject = sql`'invitation ' || ${invitations.id}`;

/** Checks the cap in the insert itself, so that two concurrent requests can't both use the last slot. */
const insertInvitation = write<InvitationRow & { at: number }>((db) => {
  const open = db
    .select({ n: count() })
    .from(invitations)
    .where(and(eq(invitations.workspaceId, given("workspaceId")), isOpen(db)));
  return db
    .insert(invitations)
    .select(rowWhere(invitations, sql`(${open}) < ${caps.openInvitations.max}`))
    .onConflictDoNothing();
});

const invitationById = readFirst<{ id: string }, { id: string }>((db) =>
  db
    .select({ id: invitations.id })
    .from(invitations)
    .where(eq(invitations.id, given("id"))),
);

const insertCreationEntry = write<{ id: string } & Actor>((db) =>
  insertEntryOf(db, invitations, eq(invitations.id, given("id")), {
    workspaceId: invitations.workspaceId,
    action: "invitation.created",
    subject,
    after: sql`json_object('role', ${invitations.role}, 'expiresAt', ${invitations.expiresAt})`,
  }),
);

const isInWorkspace = and(eq(invitations.id, given("id")), eq(invitations.workspaceId, given("workspaceId")));

const insertRevocationEntry = write<{ id: string; workspaceId: string } & Actor>((db) =>
  insertEntryOf(db, invitations, and(isInWorkspace, isOpen(db), isByOwner(db)), {
    workspaceId: invitations.workspaceId,
    action: "invitation.revoked",
    subject,
    before: sql`json_object('role', ${invitations.role}, 'expiresAt', ${invitations.expiresAt})`,
  }),
);

const revoke = write<{ id: string; workspaceId: string; at: number }>((db) =>
  db
    .update(invitations)
    .set({ revokedAt: unencoded("at") })
    .where(and(isInWorkspace, ifEntryWritten)),
);

const insertMembershipFromInvitation = write<Record<"membershipId" | "tokenHash" | "userId", string> & { at: number }>(
  (db) =>
    db
      .insert(memberships)
      .select(
        db
          .select({
            id: sql<string>`${unencoded("membershipId")}`.as("id"),
            workspaceId: invitations.workspaceId,
            userId: users.id,
            role: invitations.role,
            status: sql<"active">`'active'`.as("status"),
            createdAt: sql<number>`${unencoded("at")}`.as("created_at"),
          })
          .from(invitations)
          .innerJoin(users, eq(users.id, given("userId")))
          .where(and(isOpenOfToken(db), or(ne(invitations.role, "owner"), ownsFewerThanCap(db)))),
      )
      .onConflictDoNothing(),
);

const memberOfInvited = readFirst<{ tokenHash: string; userId: string }, { id: string }>((db) =>
  db
    .select({ id: memberships.id })
    .from(invitations)
    .innerJoin(memberships, eq(memberships.workspaceId, invitations.workspaceId))
    .where(and(hasToken, eq(memberships.userId, given("userId")))),
);

const isMembershipInserted = (db: Compiler) =>
  exists(
    db
      .select({ id: memberships.id })
      .from(memberships)
      .where(eq(memberships.id, given("membershipId"))),
  );

const markUsed = write<{ membershipId: string; tokenHash: string; at: number }>((db) =>
  db
    .update(invitations)
    .set({ acceptedAt: unencoded("at") })
    .where(and(isOpenOfToken(db), isMembershipInserted(db))),
);

const insertAcceptanceEntry = write<{ membershipId: string; tokenHash: string; isNewAccount: 0 | 1 } & Actor>((db) =>
  insertEntryOf(db, invitations, and(hasToken, isMembershipInserted(db)), {
    workspaceId: invitations.workspaceId,
    action: "invitation.accepted",
    subject,
    after: sql`json_object('memberId', ${unencoded("membershipId")}, 'role', ${invitations.role}, 'newAccount', json(iif(${unencoded("isNewAccount")}, 'true', 'false')))`,
  }),
);

const membershipById = readFirst<{ membershipId: string }, { workspaceId: string; role: Role }>((db) =>
  db
    .select({ workspaceId: memberships.workspaceId, role: memberships.role })
    .from(memberships)
    .where(eq(memberships.id, given("membershipId"))),
);

export const isInvited = (db: Compiler) =>
  exists(db.select({ id: invitations.id }).from(invitations).where(isOpenOfToken(db)));

const selectOfToken = (db: Compiler) =>
  db
    .select({ workspaceName: workspaces.name, email: invitations.email, role: invitations.role })
    .from(invitations)
    .innerJoin(workspaces, eq(workspaces.id, invitations.workspaceId))
    .where(isOpenOfToken(db));
type InvitationView = RowOf<typeof selectOfToken>;

export const openInvitation = readFirst<{ tokenHash: string; at: number }, InvitationView>(selectOfToken);

const selectOpen = (db: Compiler) =>
  db
    .select({
      id: invitations.id,
      email: invitations.email,
      role: invitations.role,
      invitedBy: invitations.invitedBy,
      invitedByName: users.name,
      createdAt: invitations.createdAt,
      expiresAt: invitations.expiresAt,
    })
    .from(invitations)
    .innerJoin(users, eq(users.id, invitations.invitedBy))
    .where(and(eq(invitations.workspaceId, given("workspaceId")), isOpen(db)))
    .orderBy(asc(invitations.createdAt), asc(invitations.id));
type OpenInvitation = RowOf<typeof selectOpen>;

const openInvitations = readAll<{ workspaceId: string; at: number }, OpenInvitation>(selectOpen);

export async function createInvitation(database: Database, invitation: InvitationRow, actor: Actor): Promise<boolean> {
  const { id } = invitation;
  const results = await writeWithRetry(database, [
    insertInvitation({ ...invitation, at: actor.at }),
    insertCreationEntry({ id, ...actor }),
    invitationById({ id }),
  ]);
  return results[2]?.length === 1;
}

export async function listInvitations(
  database: Database,
  workspaceId: string,
  at: number,
): Promise<readonly OpenInvitation[]> {
  return await readOne(database, openInvitations({ workspaceId, at }));
}

export async function findInvitation(
  database: Database,
  tokenHash: string,
  at: number,
): Promise<InvitationView | undefined> {
  return await readOne(database, openInvitation({ tokenHash, at }));
}

export async function revokeInvitation(
  database: Database,
  ref: { readonly id: string; readonly workspaceId: string },
  actor: Actor,
): Promise<boolean> {
  const results = await writeWithRetry(database, [
    insertRevocationEntry({ ...ref, ...actor }),
    revoke({ ...ref, at: actor.at }),
    entryOfOperation(actor),
  ]);
  return results[2]?.length === 1;
}

interface Acceptance {
  readonly membershipId: string;
  readonly tokenHash: string;
}

export function acceptanceOf({ membershipId, tokenHash }: Acceptance, actor: Actor, isNewAccount: boolean): Write[] {
  const { actorId: userId, at } = actor;
  return [
    insertMembershipFromInvitation({ membershipId, tokenHash, userId, at }),
    markUsed({ membershipId, tokenHash, at }),
    insertAcceptanceEntry({ membershipId, tokenHash, isNewAccount: isNewAccount ? 1 : 0, ...actor }),
  ];
}

type Accepted =
  | { readonly outcome: "accepted"; readonly workspaceId: string; readonly role: Role }
  | { readonly outcome: "invalid" | "already_a_member" | "cap_reached" };

/** If the user is already a member, the invitation stays unused. */
export async function acceptInvitation(database: Database, acceptance: Acceptance, actor: Actor): Promise<Accepted> {
  const { membershipId, tokenHash } = acceptance;
  const membership = membershipById({ membershipId });
  const [, , , made, open, member] = await writeWithRetry(database, [
    ...acceptanceOf(acceptance, actor, false),
    membership,
    openInvitation({ tokenHash, at: actor.at }),
    memberOfInvited({ tokenHash, userId: actor.actorId }),
  ]);
  const accepted = membership.decode(made ?? []);
  if (accepted !== undefined) return { outcome: "accepted", ...accepted };
  if (open?.length !== 1) return { outcome: "invalid" };
  return { outcome: member?.length === 1 ? "already_a_member" : "cap_reached" };
}
