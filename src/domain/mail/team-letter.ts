import { moneyText } from "../explain/text.ts";
import type { ProgramId } from "../ids.ts";
import { clamped } from "../money.ts";
import type { MailedTask } from "../team-mail.ts";
import type { ToDoKind } from "../to-do.ts";
import { unitsByCode } from "../units.ts";
import { nameInMail } from "./harmless.ts";
import { letterOf, type Paragraph } from "./letter.ts";
import type { Letter } from "./mail.ts";

/** The most programs that a mail lists. If there are more, the mail says so without naming them. */
export const maxProgramsInMail = 20;

interface ProgramTasks {
  readonly programId: ProgramId;
  readonly programName: string;
  readonly tasks: readonly MailedTask[];
}

interface TeamMail {
  /** Programs with at least one task, up to the maximum. */
  readonly programs: readonly ProgramTasks[];
  /** True if there are tasks in further programs. */
  readonly hasMore: boolean;
  /** The origin of the service without a trailing slash. */
  readonly origin: string;
  readonly unsubscribeLink: string;
}

/**
 * For each kind of task: the sentence for one task, the sentence for several, and the program's page that lists them.
 */
const texts = {
  applications: ["person wants to become a partner", "people want to become partners", "partners/applications"],
  claims: ["sale is reported as missing", "sales are reported as missing", "partners/claims"],
  held: ["commission is held for review", "commissions are held for review", "commissions?held=true"],
  unconfirmed: [
    "commission needs your confirmation",
    "commissions need your confirmation",
    "commissions?status=pending&unconfirmed=true",
  ],
  payable: ["partner can be paid", "partners can be paid", "payouts"],
  details: ["partner changed where they are paid", "partners changed where they are paid", "payouts"],
  draft: ["payout is a draft", "payouts are drafts", "payouts"],
  unpaid: ["payout isn't marked as paid yet", "payouts aren't marked as paid yet", "payouts"],
  bonuses: ["bonus can be awarded", "bonuses can be awarded", "partners/bonuses"],
  webhooks: ["webhook fails or was disabled", "webhooks fail or were disabled", "settings?section=webhooks"],
} as const satisfies Readonly<Record<ToDoKind, readonly [one: string, many: string, page: string]>>;

const number = new Intl.NumberFormat("en");

function textOf({ kind, count, hasMore, amounts }: MailedTask): string {
  const [one, many] = texts[kind];
  const isOne = count === 1 && !hasMore;
  const counted = `${hasMore ? "More than " : ""}${number.format(count)} ${isOne ? one : many}`;
  const sums = amounts
    .map(({ currency, cents, unit }) =>
      moneyText(clamped(cents), currency, unitsByCode(unit === undefined ? [] : [unit])),
    )
    .join(" · ");
  return sums === "" ? counted : `${counted}: ${sums}`;
}

function paragraphsOf({ programId, programName, tasks }: ProgramTasks, origin: string): readonly Paragraph[] {
  const linkOf = ({ kind }: MailedTask) => `${origin}/app/programs/${programId}/${texts[kind][2]}`;
  return [nameInMail(programName), ...tasks.flatMap((task) => [textOf(task), { link: linkOf(task) }])];
}

/** The daily mail about open tasks. It has counts, sums and links, and nothing of a customer or a partner. */
export function teamTasks({ programs, hasMore, origin, unsubscribeLink: stopLink }: TeamMail): Letter {
  const [first] = programs;
  const isOne = programs.length === 1 && first !== undefined && !hasMore;
  const where = isOne ? nameInMail(first.programName) : `${hasMore ? "more than " : ""}${programs.length} programs`;
  return letterOf(`Tasks are waiting in ${where}`, [
    "These tasks are waiting for your team:",
    ...programs.flatMap((program) => paragraphsOf(program, origin)),
    ...(hasMore ? ["Tasks are also waiting in other programs."] : []),
    "You get at most one such email a day. To choose what it contains, open your account:",
    { link: `${origin}/app/account` },
    "To stop these emails for all programs, open:",
    { link: stopLink },
  ]);
}
