import { and, eq, exists, ne, sql } from "drizzle-orm";
import { dateUtc } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import {
  type MailChoices,
  type MailFrequency,
  type TeamMailKind,
  teamMailId,
  teamMailKinds,
} from "#domain/team-mail.ts";
import { type Database, readBatch } from "../database.ts";
import { writeWithRetry } from "../retrying-write.ts";
import { mails } from "../schema/mails.ts";
import { programPlaces } from "../schema/places.ts";
import { teamMailChoices, teamMailStops, teamMailTasks } from "../schema/team-mail.ts";
import { users } from "../schema/users.ts";
import { type Compiler, given, readCount, readFirst, rowWhere, write } from "../statement.ts";
import { deletedEmail } from "./deleted-users.ts";

// These queries need the home database.

interface OfUser extends Record<string, unknown> {
  readonly userId: string;
}
interface OfMember extends OfUser {
  readonly programId: ProgramId;
}

const isOfUser = eq(teamMailChoices.userId, given("userId"));
const isOfMember = and(isOfUser, eq(teamMailChoices.programId, given("programId")));

const kindColumns = {
  application_received: teamMailChoices.application_received,
  claim_opened: teamMailChoices.claim_opened,
  commission_held: teamMailChoices.commission_held,
  webhook_disabled: teamMailChoices.webhook_disabled,
  payout_due: teamMailChoices.payout_due,
} as const satisfies Readonly<Record<TeamMailKind, unknown>>;

const choicesOfMember = readFirst<OfMember, MailChoices>((db) =>
  db.select(kindColumns).from(teamMailChoices).where(isOfMember),
);
const stopOfUser = readFirst<OfUser, { at: number }>((db) =>
  db
    .select({ at: teamMailStops.stoppedAt })
    .from(teamMailStops)
    .where(eq(teamMailStops.userId, given("userId"))),
);
const chosenPrograms = readCount<OfUser>((db) =>
  db.select({ n: sql<number>`count(*)` }).from(teamMailChoices).where(isOfUser),
);
const addressOfUser = readFirst<OfUser, { isVerified: boolean }>((db) =>
  db
    .select({ isVerified: users.emailVerified })
    .from(users)
    .where(eq(users.id, given("userId"))),
);

/** Makes one database request. */
export async function readMemberMails(
  database: Database,
  member: { readonly userId: string; readonly programId: ProgramId },
): Promise<{ readonly choices: MailChoices | undefined; readonly hasStopped: boolean }> {
  const found = await readBatch(database, {
    choices: choicesOfMember({ ...member }),
    stop: stopOfUser({ userId: member.userId }),
  });
  return { choices: found.choices, hasStopped: found.stop !== undefined };
}

export interface AccountMails {
  readonly hasStopped: boolean;
  readonly isVerified: boolean;
  /** The number of programs for which the account has chosen mails. */
  readonly chosen: number;
}

/** Makes one database request. */
export async function readAccountMails(database: Database, userId: string): Promise<AccountMails> {
  const found = await readBatch(database, {
    stop: stopOfUser({ userId }),
    address: addressOfUser({ userId }),
    chosen: chosenPrograms({ userId }),
  });
  return {
    hasStopped: found.stop !== undefined,
    isVerified: found.address?.isVerified === true,
    chosen: found.chosen,
  };
}

const isOfLiveUser = (db: Compiler) =>
  exists(
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, given("userId")), ne(users.email, deletedEmail))),
  );

const isPlaced = (db: Compiler) =>
  exists(
    db
      .select({ programId: programPlaces.programId })
      .from(programPlaces)
      .where(eq(programPlaces.programId, given("programId"))),
  );

const saveChoices = write<OfMember & MailChoices>((db) =>
  db
    .insert(teamMailChoices)
    .select(rowWhere(teamMailChoices, and(isOfLiveUser(db), isPlaced(db))))
    .onConflictDoUpdate({
      target: [teamMailChoices.userId, teamMailChoices.programId],
      set: Object.fromEntries(
        teamMailKinds.map((kind) => [
          kind,
          sql`coalesce(${sql.raw(`excluded.${kind}`)}, ${sql.raw(`team_mail_choices.${kind}`)})`,
        ]),
      ),
    }),
);

/** Sets the named kinds. The others don't change. */
export async function saveMemberMails(
  database: Database,
  { userId, programId }: { readonly userId: string; readonly programId: ProgramId },
  changes: Readonly<Partial<Record<TeamMailKind, MailFrequency | undefined>>>,
): Promise<void> {
  const none = Object.fromEntries(teamMailKinds.map((kind) => [kind, null])) as Record<TeamMailKind, null>;
  const named = Object.fromEntries(Object.entries(changes).filter(([, frequency]) => frequency !== undefined));
  await writeWithRetry(database, [saveChoices({ ...none, ...named, userId, programId })]);
}

const insertStop = write<OfUser & { stoppedAt: number }>((db) =>
  db
    .insert(teamMailStops)
    .select(rowWhere(teamMailStops, isOfLiveUser(db)))
    .onConflictDoNothing(),
);
const deleteStop = write<OfUser>((db) => db.delete(teamMailStops).where(eq(teamMailStops.userId, given("userId"))));
const deleteChoices = write<OfUser>((db) => db.delete(teamMailChoices).where(isOfUser));
const deleteTasks = write<OfUser>((db) => db.delete(teamMailTasks).where(eq(teamMailTasks.userId, given("userId"))));
const withdrawMail = write<{ id: string }>((db) =>
  db.delete(mails).where(and(eq(mails.id, given("id")), sql`${mails.dueAt} is not null`)),
);

/**
 * Turns off the mails of all programs, also of those that the account joins later. If today's mail hasn't been sent
 * yet, it isn't sent.
 */
export async function stopAllMails(
  database: Database,
  { userId, at }: { readonly userId: string; readonly at: number },
): Promise<void> {
  await writeWithRetry(database, [
    insertStop({ userId, stoppedAt: at }),
    deleteChoices({ userId }),
    deleteTasks({ userId }),
    withdrawMail({ id: teamMailId(dateUtc(at), userId) }),
  ]);
}

/**
 * Removes the account's stop of all mails and its choices, so that it gets the mails that its roles start with, in all
 * programs.
 */
export async function restartMails(database: Database, userId: string): Promise<void> {
  await writeWithRetry(database, [deleteStop({ userId }), deleteChoices({ userId })]);
}
