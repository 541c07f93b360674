import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ProgramId } from "#domain/ids.ts";
import { mailFrequencies, type TeamMailKind } from "#domain/team-mail.ts";
import { flag, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { programPlaces } from "./places.ts";
import { users } from "./users.ts";

// Only the home database has rows in these tables.

const userId = () =>
  text("user_id")
    .notNull()
    .references(() => users.id);
const programId = () =>
  integer("program_id")
    .$type<ProgramId>()
    .notNull()
    .references(() => programPlaces.programId);
const frequency = (kind: TeamMailKind) => text(kind, { enum: mailFrequencies });

/** The mails about a program that a member has chosen. Null for kinds without a choice. */
export const teamMailChoices = sqliteTable(
  "team_mail_choices",
  {
    userId: userId(),
    programId: programId(),
    application_received: frequency("application_received"),
    claim_opened: frequency("claim_opened"),
    commission_held: frequency("commission_held"),
    webhook_disabled: frequency("webhook_disabled"),
    payout_due: frequency("payout_due"),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.programId] }),
    check("team_mail_choices_applications", oneOf(t.application_received, mailFrequencies)),
    check("team_mail_choices_claims", oneOf(t.claim_opened, mailFrequencies)),
    check("team_mail_choices_commissions", oneOf(t.commission_held, mailFrequencies)),
    check("team_mail_choices_webhooks", oneOf(t.webhook_disabled, mailFrequencies)),
    check("team_mail_choices_payouts", oneOf(t.payout_due, mailFrequencies)),
  ],
);

/** Accounts that have turned off the mails of all programs at once. */
export const teamMailStops = sqliteTable("team_mail_stops", {
  userId: userId().primaryKey(),
  stoppedAt: instant("stopped_at").notNull(),
});

/** The progress of the daily mails: one row. */
export const teamMailRuns = sqliteTable(
  "team_mail_runs",
  {
    id: integer("id").primaryKey(),
    /** The day in UTC. */
    day: text("day").notNull(),
    /** True on the first day of each week on which mails are written. */
    isWeekly: flag("is_weekly"),
    /**
     * The number of the current pass. A pass reads the tasks of all programs. If a program couldn't be read, another
     * pass follows.
     */
    pass: integer("pass").notNull(),
    /** The last program whose tasks were read. */
    afterProgramId: integer("after_program_id").$type<ProgramId>().notNull(),
    /** The number of programs that couldn't be read in this pass. */
    missed: integer("missed").notNull(),
    /** When the next pass starts. */
    resumeAt: instant("resume_at").notNull(),
    /** When the last program was read. From then on, the mails are written. */
    gatheredAt: instant("gathered_at"),
    /** When the last mail of the day was written. */
    endedAt: instant("ended_at"),
  },
  (t) => [check("team_mail_runs_one", sql`${t.id} = 1`)],
);

/** Tasks for the mail that a member gets today. Deleted when the mail is written. */
export const teamMailTasks = sqliteTable(
  "team_mail_tasks",
  {
    userId: userId(),
    programId: programId(),
    day: text("day").notNull(),
    programName: text("program_name").notNull(),
    /** JSON of counts and sums. */
    tasks: text("tasks").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.programId] }),
    index("team_mail_tasks_program").on(t.programId),
    check("team_mail_tasks_tasks", sql`json_type(${t.tasks}) = 'array'`),
  ],
);
