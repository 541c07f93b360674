import { and, asc, eq, exists, getTableColumns, gt, isNull, lt, not, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "./database.ts";
import { mails } from "./schema/mails.ts";
import { teamMailRuns, teamMailTasks } from "./schema/team-mail.ts";
import { type Compiler, given, readFirst, unencoded, type Write, write } from "./statement.ts";

// These queries need the home database.

export type TeamMailRunRow = typeof teamMailRuns.$inferSelect;

const currentRun = readFirst<Record<string, never>, TeamMailRunRow>((db) => db.select().from(teamMailRuns));

export const readTeamMailRun = (database: Pick<Database, "read">) => readOne(database, currentRun({}));

/** Starts the day's mails, unless they were already started. */
export const beginTeamMails = write<{ day: string; isWeekly: boolean; at: number }>((db) =>
  db
    .insert(teamMailRuns)
    .values({
      id: 1,
      day: given("day"),
      isWeekly: given("isWeekly"),
      pass: 1,
      afterProgramId: 0,
      missed: 0,
      resumeAt: given("at"),
      gatheredAt: null,
      endedAt: null,
    })
    .onConflictDoUpdate({
      target: teamMailRuns.id,
      set: Object.fromEntries(
        Object.entries(getTableColumns(teamMailRuns)).map(([key, { name }]) => [key, sql.raw(`excluded.${name}`)]),
      ),
      setWhere: sql`${teamMailRuns.day} < excluded.day`,
    }),
);

/** The position of the run that a step was planned from. The step writes nothing if the run has moved on. */
export interface RunPosition extends Record<string, unknown> {
  readonly day: string;
  readonly pass: number;
  readonly afterProgramId: ProgramId;
}

const isAtPosition = and(
  eq(teamMailRuns.day, given("day")),
  eq(teamMailRuns.pass, given("pass")),
  eq(teamMailRuns.afterProgramId, given("afterProgramId")),
  isNull(teamMailRuns.gatheredAt),
);
export const atPosition = (db: Compiler) =>
  exists(db.select({ id: teamMailRuns.id }).from(teamMailRuns).where(isAtPosition));

export const advanceRun = write<RunPosition & { nextProgramId: ProgramId; missed: number }>((db) =>
  db
    .update(teamMailRuns)
    .set({
      afterProgramId: sql`${unencoded("nextProgramId")}`,
      missed: sql`${teamMailRuns.missed} + ${unencoded("missed")}`,
    })
    .where(isAtPosition),
);

export const repeatPass = write<RunPosition & { resumeAt: number }>((db) =>
  db
    .update(teamMailRuns)
    .set({
      pass: sql`${teamMailRuns.pass} + 1`,
      afterProgramId: 0,
      missed: 0,
      resumeAt: sql`${unencoded("resumeAt")}`,
    })
    .where(isAtPosition),
);

export const endGathering = write<RunPosition & { at: number }>((db) =>
  db
    .update(teamMailRuns)
    .set({ gatheredAt: sql`${unencoded("at")}` })
    .where(isAtPosition),
);

const noTasks = (db: Compiler) => not(exists(db.select({ userId: teamMailTasks.userId }).from(teamMailTasks)));

export const endTeamMails = write<{ day: string; at: number }>((db) =>
  db
    .update(teamMailRuns)
    .set({ endedAt: sql`${unencoded("at")}` })
    .where(and(eq(teamMailRuns.day, given("day")), sql`${teamMailRuns.gatheredAt} is not null`, noTasks(db))),
);

// Tasks and mails that are left from earlier days.

/** Ids of mails to teams begin with this text, followed by the day. */
const oldMail = and(gt(mails.id, "team."), lt(mails.id, given("before")));

const anyLeft = readFirst<{ before: string }, { isAny: boolean }>((db) =>
  db
    .select({
      isAny: sql<boolean>`${exists(db.select({ userId: teamMailTasks.userId }).from(teamMailTasks))}
        or ${exists(db.select({ id: mails.id }).from(mails).where(oldMail))}`
        .mapWith(Boolean)
        .as("is_any"),
    })
    .from(sql`(select 1)`),
);
const deleteTasks = write<{ limit: number }>((db) =>
  db
    .delete(teamMailTasks)
    .where(sql`(user_id, program_id) in (select user_id, program_id from ${teamMailTasks} limit ${given("limit")})`),
);
const deleteMails = write<{ before: string; limit: number }>((db) =>
  db
    .delete(mails)
    .where(
      sql`${mails.id} in ${db.select({ id: mails.id }).from(mails).where(oldMail).orderBy(asc(mails.id)).limit(given("limit"))}`,
    ),
);

/** Call it before the day begins. Returns true if tasks or mails of earlier days are left. */
export const hasLeftovers = async (database: Pick<Database, "read">, day: string): Promise<boolean> =>
  (await readOne(database, anyLeft({ before: `team.${day}` })))?.isAny === true;

export const deleteLeftovers = (day: string, limit: number): readonly Write[] => [
  deleteTasks({ limit }),
  deleteMails({ before: `team.${day}`, limit }),
];
