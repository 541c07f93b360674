import { and, asc, eq, exists, ne, notExists, or, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { ProgramId, Shard } from "#domain/ids.ts";
import { type Database, readOne } from "../database.ts";
import { emptiedUser } from "../erased-columns.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { workspaceAuditEntries as entries, invitations, memberships } from "../schema/members.ts";
import { accountPartners } from "../schema/partner-access.ts";
import { programPlaces } from "../schema/places.ts";
import { programs } from "../schema/programs.ts";
import { teamMailChoices, teamMailStops, teamMailTasks } from "../schema/team-mail.ts";
import {
  accountEvents,
  accounts,
  partnerSignUps,
  recoveryCodes,
  secondFactors,
  sessions,
  signUpTokens,
  users,
  verifications,
} from "../schema/users.ts";
import { workspaces } from "../schema/workspaces.ts";
import { type Compiler, given, readAll, readFirst, unencoded, type Write, write } from "../statement.ts";
import { deletedEmail, deletedName } from "./deleted-users.ts";
import { isActiveOwner } from "./members.ts";
import { type Actor, entryOf } from "./workspace-audit.ts";

const isUser = eq(users.id, given("userId"));
const isDeleted = (db: Compiler) =>
  exists(
    db
      .select({ id: users.id })
      .from(users)
      .where(and(isUser, eq(users.email, deletedEmail))),
  );

/** Finds workspaces of which the user is the only active owner, and that have programs or other members. */
const isHeldBack = (db: Compiler) => {
  const other = alias(memberships, "other");
  const isOther = and(eq(other.workspaceId, memberships.workspaceId), ne(other.id, memberships.id));
  const others = db.select({ id: other.id }).from(other).where(isOther);
  const owners = db
    .select({ id: other.id })
    .from(other)
    .where(and(isOther, isActiveOwner(other)));
  const placed = db
    .select({ id: programPlaces.programId })
    .from(programPlaces)
    .where(eq(programPlaces.workspaceId, memberships.workspaceId));
  return and(
    eq(memberships.userId, given("userId")),
    isActiveOwner(memberships),
    notExists(owners),
    or(exists(others), exists(placed)),
  );
};

export interface HeldWorkspace {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly programId: ProgramId | null;
  readonly shard: Shard | null;
}

const heldWorkspaces = readAll<{ userId: string }, HeldWorkspace>((db) =>
  db
    .select({
      workspaceId: memberships.workspaceId,
      workspaceName: workspaces.name,
      programId: programPlaces.programId,
      shard: programPlaces.shard,
    })
    .from(memberships)
    .innerJoin(workspaces, eq(workspaces.id, memberships.workspaceId))
    .leftJoin(programPlaces, eq(programPlaces.workspaceId, memberships.workspaceId))
    .where(isHeldBack(db))
    .orderBy(asc(workspaces.name), asc(memberships.workspaceId), asc(programPlaces.programId)),
);

/**
 * Returns the workspaces that would be left without an owner: one row for each program, or a single row for a workspace
 * without programs.
 */
export const readHeldWorkspaces = async (database: Database, userId: string): Promise<readonly HeldWorkspace[]> =>
  await readOne(database, heldWorkspaces({ userId }));

const namesOfPrograms = readAll<{ ids: string }, { id: ProgramId; name: string }>((db) =>
  db
    .select({ id: programs.id, name: programs.name })
    .from(programs)
    .where(sql`${programs.id} in (select value from json_each(${given("ids")}))`),
);

export const readProgramNames = async (database: Database, ids: readonly ProgramId[]) =>
  await readOne(database, namesOfPrograms({ ids: JSON.stringify(ids) }));

/** Writes an entry to the audit trail of each of the user's workspaces. */
const insertLeaveEntries = write<Actor & { userId: string }>((db) =>
  db.insert(entries).select(
    db
      .select({
        ...entryOf({
          workspaceId: memberships.workspaceId,
          action: "member.left",
          subject: sql`'member ' || ${memberships.id}`,
          before: sql`json_object('userId', ${memberships.userId}, 'role', ${memberships.role}, 'status', ${memberships.status})`,
        }),
        operationId: sql<string>`${unencoded("operationId")} || ' ' || ${memberships.id}`.as("operation_id"),
      })
      .from(memberships)
      .where(and(eq(memberships.userId, given("userId")), isDeleted(db))),
  ),
);

const eraseUser = write<{ userId: string; at: number }>((db) =>
  db
    .update(users)
    .set({
      ...emptiedUser,
      name: deletedName,
      email: sql`${deletedEmail}`,
      emailVerified: false,
      updatedAt: sql`${unencoded("at")}`,
    })
    .where(and(isUser, notExists(db.select({ id: memberships.id }).from(memberships).where(isHeldBack(db))))),
);

const ofUser = (table: Parameters<Compiler["delete"]>[0], userId: SQLWrapper) =>
  write<{ userId: string }>((db) => db.delete(table).where(and(sql`${userId} = ${given("userId")}`, isDeleted(db))));

/** Deletes the invitations that the account sent, and those sent to its address. */
const deleteInvitations = write<{ userId: string; email: string }>((db) =>
  db
    .delete(invitations)
    .where(
      and(
        or(eq(invitations.invitedBy, given("userId")), sql`lower(${invitations.email}) = lower(${given("email")})`),
        isDeleted(db),
      ),
    ),
);

const belongings = [
  ofUser(memberships, memberships.userId),
  ofUser(accountPartners, accountPartners.accountId),
  ofUser(sessions, sessions.userId),
  ofUser(accounts, accounts.userId),
  ofUser(verifications, verifications.value),
  ofUser(secondFactors, secondFactors.userId),
  ofUser(recoveryCodes, recoveryCodes.userId),
  ofUser(accountEvents, accountEvents.userId),
  ofUser(partnerSignUps, partnerSignUps.userId),
  ofUser(signUpTokens, signUpTokens.usedBy),
  ofUser(teamMailChoices, teamMailChoices.userId),
  ofUser(teamMailStops, teamMailStops.userId),
  ofUser(teamMailTasks, teamMailTasks.userId),
];

const deletedUser = readFirst<{ userId: string }, { id: string }>((db) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(and(isUser, eq(users.email, deletedEmail))),
);

/**
 * Deletes the account in one transaction. Returns false, and changes nothing, if a workspace would be left without an
 * owner.
 */
export async function deleteAccount(
  database: Database,
  { userId, email }: { readonly userId: string; readonly email: string },
  { operationId, at }: { readonly operationId: string; readonly at: number },
): Promise<boolean> {
  const ofAccount = { userId };
  const writes: readonly Write[] = [
    eraseUser({ userId, at }),
    insertLeaveEntries({ userId, operationId, actorId: userId, at }),
    deleteInvitations({ userId, email }),
    ...belongings.map((remove) => remove(ofAccount)),
  ];
  const results = await writeWithRetry(database, [...writes, deletedUser({ userId })]);
  return results.at(-1)?.length === 1;
}
