import { and, asc, eq, exists, type SQL, sql } from "drizzle-orm";
import type { ProgramId, Shard } from "#domain/ids.ts";
import type { Role } from "#domain/role.ts";
import type { MailChoices, MailedTask, MailMember } from "#domain/team-mail.ts";
import type { ToDo } from "#domain/to-do.ts";
import { unitsByCode } from "#domain/units.ts";
import { type Database, readBatch, readOne } from "./database.ts";
import type { MailRow } from "./mails.ts";
import { toDoOf, toDoReads } from "./reports/to-do.ts";
import { mails } from "./schema/mails.ts";
import { memberships } from "./schema/members.ts";
import { payouts } from "./schema/payouts.ts";
import { programPlaces } from "./schema/places.ts";
import { programs } from "./schema/programs.ts";
import { teamMailTasks } from "./schema/team-mail.ts";
import { users } from "./schema/users.ts";
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
} from "./statement.ts";
import { atPosition, type RunPosition } from "./team-mail-runs.ts";
import { unitsOfProgram } from "./units.ts";

// All of these queries need the home database, except `readTasks`.

/** `rows` is JSON: an array of `[userId, programId, programName, tasks]`. */
const insertTasks = write<RunPosition & { rows: string }>((db) =>
  db
    .insert(teamMailTasks)
    .select(
      sql`select j.value ->> 0, j.value ->> 1, ${unencoded("day")}, j.value ->> 2, j.value -> 3
        from json_each(${given("rows")}) j where ${atPosition(db)}`,
    )
    .onConflictDoUpdate({
      target: [teamMailTasks.userId, teamMailTasks.programId],
      set: {
        day: sql`excluded.day`,
        programName: sql`excluded.program_name`,
        tasks: sql`excluded.tasks`,
      },
    }),
);

export interface NewTasks {
  readonly userId: string;
  readonly programId: ProgramId;
  readonly programName: string;
  readonly tasks: readonly MailedTask[];
}

export const addTasks = (position: RunPosition, rows: readonly NewTasks[]): Write =>
  insertTasks({
    ...position,
    rows: JSON.stringify(
      rows.map(({ userId, programId, programName, tasks }) => [userId, programId, programName, tasks.map(stored)]),
    ),
  });

const stored = ({ amounts, ...task }: MailedTask) => ({
  ...task,
  amounts: amounts.map(({ cents, ...of }) => ({ ...of, cents: String(cents) })),
});

const readStored = (json: string): readonly MailedTask[] =>
  (JSON.parse(json) as readonly ReturnType<typeof stored>[]).map(({ amounts, ...task }) => ({
    ...task,
    amounts: amounts.map(({ cents, ...of }) => ({ ...of, cents: BigInt(cents) })),
  }));

export interface PlacedProgram {
  readonly programId: ProgramId;
  readonly shard: Shard;
}

interface Page extends Record<string, unknown> {
  readonly after: ProgramId;
  readonly limit: number;
}

const page = (columns: SQL): SQL =>
  sql`select ${columns} from ${programPlaces} p where p.program_id > ${unencoded("after")} and p.is_archived = 0
    order by p.program_id limit ${unencoded("limit")}`;

const programsOfPage = readAll<Page, PlacedProgram>((db) =>
  db
    .select({ programId: sql<ProgramId>`placed.program_id`, shard: sql<Shard>`placed.shard` })
    .from(sql`(${page(sql`p.program_id, p.shard`)}) placed`),
);

/** Columns of a member's choices, from the tables `s` (stops) and `c` (choices). */
const chosen = {
  hasStopped: sql<boolean>`s.user_id is not null`.mapWith(Boolean).as("has_stopped"),
  hasChosen: sql<boolean>`c.user_id is not null`.mapWith(Boolean).as("has_chosen"),
  application_received: sql<MailChoices["application_received"]>`c.application_received`.as("application_received"),
  claim_opened: sql<MailChoices["claim_opened"]>`c.claim_opened`.as("claim_opened"),
  commission_held: sql<MailChoices["commission_held"]>`c.commission_held`.as("commission_held"),
  webhook_disabled: sql<MailChoices["webhook_disabled"]>`c.webhook_disabled`.as("webhook_disabled"),
  payout_due: sql<MailChoices["payout_due"]>`c.payout_due`.as("payout_due"),
};

interface Chosen extends MailChoices {
  readonly role: Role;
  readonly hasStopped: boolean;
  readonly hasChosen: boolean;
}

const memberOf = ({ role, hasStopped, hasChosen, ...choices }: Chosen): MailMember => ({
  role,
  hasStopped,
  choices: hasChosen ? choices : undefined,
});

const selectRecipients = (db: Compiler) =>
  db
    .select({
      userId: memberships.userId,
      programId: sql<ProgramId>`placed.program_id`.as("program_id"),
      role: memberships.role,
      ...chosen,
    })
    .from(sql`(${page(sql`p.program_id, p.workspace_id`)}) placed`)
    .innerJoin(memberships, sql`${memberships.workspaceId} = placed.workspace_id and ${memberships.status} = 'active'`)
    .innerJoin(users, sql`${users.id} = ${memberships.userId} and ${users.emailVerified} = 1`)
    .leftJoin(sql`team_mail_stops s`, sql`s.user_id = ${memberships.userId}`)
    .leftJoin(sql`team_mail_choices c`, sql`c.user_id = ${memberships.userId} and c.program_id = placed.program_id`)
    .where(sql`c.user_id is not null or (${memberships.role} = 'owner' and s.user_id is null)`);
const recipientsOfPage = readAll<Page, RowOf<typeof selectRecipients>>(selectRecipients);

export interface Recipient extends MailMember {
  readonly userId: string;
  readonly programId: ProgramId;
}

/** Reads the next programs, and their members who may want a mail. Makes one database request. */
export async function readNextPrograms(
  database: Pick<Database, "read">,
  next: Page,
): Promise<{ readonly programs: readonly PlacedProgram[]; readonly recipients: readonly Recipient[] }> {
  const found = await readBatch(database, { programs: programsOfPage(next), recipients: recipientsOfPage(next) });
  return {
    programs: found.programs,
    recipients: found.recipients.map(({ userId, programId, ...member }) => ({
      userId,
      programId,
      ...memberOf(member),
    })),
  };
}

const lastPayoutAt = (db: Compiler) =>
  db
    .select({ at: sql<number>`max(${payouts.finalizedAt})` })
    .from(payouts)
    .where(and(eq(payouts.programId, programs.id), sql`${payouts.status} in ('final', 'paid')`));

const selectAsked = (db: Compiler) =>
  db
    .select({
      name: programs.name,
      currency: programs.currency,
      timezone: programs.timezone,
      place: programs.place,
      isArchived: sql<boolean>`${programs.archivedAt} is not null`.mapWith(Boolean).as("is_archived"),
      lastPayoutAt: sql<number | null>`(${lastPayoutAt(db)})`.as("last_payout_at"),
    })
    .from(programs)
    .where(eq(programs.id, given("programId")));
const askedProgram = readFirst<{ programId: ProgramId }, RowOf<typeof selectAsked>>(selectAsked);

export interface AskedProgram {
  readonly name: string;
  readonly isArchived: boolean;
  readonly lastPayoutAt: number | null;
  readonly tasks: readonly ToDo[];
}

/**
 * Reads the open tasks of a program, as its to-do list has them. `database` is that of the program's shard. Undefined
 * if the program isn't there, because it is being moved. Makes one database request.
 */
export async function readTasks(
  database: Pick<Database, "read">,
  { programId, at }: { readonly programId: ProgramId; readonly at: number },
): Promise<AskedProgram | undefined> {
  const { program, units, ...found } = await readBatch(database, {
    program: askedProgram({ programId }),
    units: unitsOfProgram({ programId }),
    ...toDoReads({ programId, at }),
  });
  // A program that is leaving this shard can still be read here: its rows no longer change.
  if (program === undefined || (program.place !== "here" && program.place !== "leaving")) return undefined;
  const { name, currency, timezone, isArchived } = program;
  const unitOf = unitsByCode(units);
  const tasks = toDoOf(found, { currency, timezone, at }).map(({ amounts, ...task }) => ({
    ...task,
    amounts: amounts.map((amount) => ({ ...amount, unit: unitOf.get(amount.currency) })),
  }));
  return { name, isArchived, lastPayoutAt: program.lastPayoutAt, tasks };
}

const selectWaiting = (db: Compiler) =>
  db
    .select({
      userId: teamMailTasks.userId,
      programId: teamMailTasks.programId,
      programName: teamMailTasks.programName,
      tasks: teamMailTasks.tasks,
      email: users.email,
      /** Null if the user isn't a member any more. */
      role: memberships.role,
      mayGet: sql<boolean>`${memberships.status} = 'active' and ${users.emailVerified} = 1`
        .mapWith(Boolean)
        .as("may_get"),
      ...chosen,
    })
    .from(teamMailTasks)
    .innerJoin(users, eq(users.id, teamMailTasks.userId))
    .innerJoin(programPlaces, eq(programPlaces.programId, teamMailTasks.programId))
    .leftJoin(
      memberships,
      and(eq(memberships.workspaceId, programPlaces.workspaceId), eq(memberships.userId, teamMailTasks.userId)),
    )
    .leftJoin(sql`team_mail_stops s`, sql`s.user_id = ${teamMailTasks.userId}`)
    .leftJoin(
      sql`team_mail_choices c`,
      sql`c.user_id = ${teamMailTasks.userId} and c.program_id = ${teamMailTasks.programId}`,
    )
    .orderBy(asc(teamMailTasks.userId), asc(teamMailTasks.programId))
    .limit(given("limit"));
const waitingTasks = readAll<{ limit: number }, RowOf<typeof selectWaiting>>(selectWaiting);

export interface WaitingTasks {
  readonly userId: string;
  readonly programId: ProgramId;
  readonly programName: string;
  readonly tasks: readonly MailedTask[];
  readonly email: string;
  /** Undefined if the user may not get the mail any more. */
  readonly member: MailMember | undefined;
}

/** Reads tasks that aren't mailed yet, sorted by member. Makes one database request. */
export async function readWaitingTasks(
  database: Pick<Database, "read">,
  limit: number,
): Promise<readonly WaitingTasks[]> {
  const found = await readOne(database, waitingTasks({ limit }));
  return found.map(({ userId, programId, programName, tasks, email, role, mayGet, ...choices }) => ({
    userId,
    programId,
    programName,
    tasks: readStored(tasks),
    email,
    member: role === null || !mayGet ? undefined : memberOf({ role, ...choices }),
  }));
}

const insertMailOfTasks = write<MailRow & { userId: string; day: string }>((db) =>
  db
    .insert(mails)
    .select(
      rowWhere(
        mails,
        exists(
          db
            .select({ userId: teamMailTasks.userId })
            .from(teamMailTasks)
            .where(and(eq(teamMailTasks.userId, given("userId")), eq(teamMailTasks.day, given("day")))),
        ),
      ),
    )
    .onConflictDoNothing(),
);
const deleteTasksOfUser = write<{ userId: string }>((db) =>
  db.delete(teamMailTasks).where(eq(teamMailTasks.userId, given("userId"))),
);

/** Replaces a member's tasks by their mail. Without a mail, only deletes the tasks. */
export const mailTasks = (of: { readonly userId: string; readonly day: string }, mail: MailRow | undefined) => [
  ...(mail === undefined ? [] : [insertMailOfTasks({ ...mail, ...of })]),
  deleteTasksOfUser({ userId: of.userId }),
];
