import { dateUtc, dayMs, hourMs } from "./calendar.ts";
import type { Role } from "./role.ts";
import type { ToDo, ToDoKind } from "./to-do.ts";

// Members get at most one mail a day about the open tasks of their programs. It has the counts and sums of the to-do
// list, and nothing of a customer or a partner.

export const teamMailKinds = [
  "application_received",
  "claim_opened",
  "commission_held",
  "webhook_disabled",
  "payout_due",
] as const;
export type TeamMailKind = (typeof teamMailKinds)[number];

export const mailFrequencies = ["off", "daily", "weekly"] as const;
export type MailFrequency = (typeof mailFrequencies)[number];

/** The kind of mail that contains each kind of task. */
const kindsOfTasks = {
  applications: "application_received",
  claims: "claim_opened",
  held: "commission_held",
  unconfirmed: "commission_held",
  webhooks: "webhook_disabled",
  payable: "payout_due",
  details: "payout_due",
  draft: "payout_due",
  unpaid: "payout_due",
  bonuses: "payout_due",
} as const satisfies Readonly<Record<ToDoKind, TeamMailKind>>;

/** A member's choices for a program. Null for kinds without a choice. */
export type MailChoices = Readonly<Record<TeamMailKind, MailFrequency | null>>;
export type MailSettings = Readonly<Record<TeamMailKind, MailFrequency>>;

export interface MailMember {
  readonly role: Role;
  /** True if the member has turned off all mails at once. Later choices for single programs still apply. */
  readonly hasStopped: boolean;
  /** Undefined if the member has never chosen anything for the program. */
  readonly choices: MailChoices | undefined;
}

/** Owners start with daily mails, other members with none. */
export function mailSettings({ role, hasStopped, choices }: MailMember): MailSettings {
  const start: MailFrequency = role === "owner" && !hasStopped ? "daily" : "off";
  return {
    application_received: choices?.application_received ?? start,
    claim_opened: choices?.claim_opened ?? start,
    commission_held: choices?.commission_held ?? start,
    webhook_disabled: choices?.webhook_disabled ?? start,
    payout_due: choices?.payout_due ?? start,
  };
}

/** A task in a mail: only its count and sums. */
export type MailedTask = Pick<ToDo, "kind" | "count" | "hasMore" | "amounts">;

const payoutEveryMs = 30 * dayMs;

/**
 * Returns the tasks to mail. Tasks about payouts are mailed only if a payout is a draft or unpaid, or if none was
 * finalized in the last 30 days, because programs pay their partners about once a month.
 */
export function tasksToMail(
  tasks: readonly ToDo[],
  { lastPayoutAt, at }: { readonly lastPayoutAt: number | null; readonly at: number },
): readonly MailedTask[] {
  const isPayoutOpen = tasks.some(({ kind }) => kind === "draft" || kind === "unpaid");
  const isPayoutDue = isPayoutOpen || lastPayoutAt === null || at - lastPayoutAt >= payoutEveryMs;
  return tasks
    .filter(({ kind }) => isPayoutDue || kindsOfTasks[kind] !== "payout_due")
    .map(({ kind, count, hasMore, amounts }) => ({ kind, count, hasMore, amounts }));
}

/** Returns the tasks that are mailed to a member today. Weekly mails are sent on one day of each week. */
export const tasksOfMember = (
  tasks: readonly MailedTask[],
  settings: MailSettings,
  isWeekly: boolean,
): readonly MailedTask[] =>
  tasks.filter(({ kind }) => {
    const frequency = settings[kindsOfTasks[kind]];
    return frequency === "daily" || (frequency === "weekly" && isWeekly);
  });

const sentFromMs = 6 * hourMs;
const mondayMs = 4 * dayMs;
const weekMs = 7 * dayMs;

/** The day (UTC) whose mails may be written now. Undefined before 6:00. */
export const teamMailDay = (at: number): string | undefined => (at % dayMs < sentFromMs ? undefined : dateUtc(at));

/** The next instant at which the mails of a day may be written (ms). */
const nextTeamMails = (at: number): number => {
  const today = at - (at % dayMs) + sentFromMs;
  return today > at ? today : today + dayMs;
};

/** The end of the day (UTC). A mail isn't sent after it, so that no member gets two mails on the same day. */
export const endOfTeamMails = (at: number): number => at - (at % dayMs) + dayMs;

/** True if the days are in different weeks. Weeks start on Monday. */
export const isOtherWeek = (day: string, other: string): boolean => weekOf(day) !== weekOf(other);

const weekOf = (day: string): number => Math.floor((Date.parse(`${day}T00:00:00Z`) - mondayMs) / weekMs);

/** One id for each member and day, so that a mail is written once. Ids are sorted by day. */
export const teamMailId = (day: string, userId: string): string => `team.${day}.${userId}`;

export interface TeamMailProgress {
  readonly day: string;
  /** When the next pass through the programs starts (ms). */
  readonly resumeAt: number;
  readonly gatheredAt: number | null;
  readonly endedAt: number | null;
}

/** When the next step of writing mails is due (ms). */
export function teamMailsDueAt(run: TeamMailProgress | undefined, at: number): number {
  const day = teamMailDay(at);
  if (day === undefined) return nextTeamMails(at);
  if (run === undefined || run.day < day) return at;
  if (run.day > day || run.endedAt !== null) return nextTeamMails(at);
  return run.gatheredAt === null ? Math.max(at, run.resumeAt) : at;
}
