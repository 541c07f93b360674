import type { PreparedRow, RowResult, Sender, Sent } from "../../../../../importer/index.ts";
import { answerOf, importSender } from "../../../api/bulk-sender.ts";
import { api, take } from "../../../api/client.ts";
import type { MailOutcome } from "../../../api/types.ts";
import type { Many } from "../../../api/use-many.ts";
import type { Refused } from "../../../components/outcome-list.tsx";
import { formatCount, pluralize } from "../../../format.ts";
import { whys } from "../../../forms/mail-outcomes.tsx";
import { type Program, paramOf } from "../../../session.tsx";
import { refusalTitles } from "../../import/refusal-titles.ts";

export interface BulkPartner {
  readonly id: number;
  readonly name: string;
  readonly code: string;
  readonly status: "active" | "paused";
  /** The partner's group. Undefined if it isn't known yet. */
  readonly groupId?: number | null;
}

export interface Undo {
  /** The label of the undo button. */
  readonly label: string;
  run(many: Many): Promise<BulkResult>;
}

export interface BulkResult {
  readonly text: string;
  readonly refused: readonly Refused[];
  readonly isComplete: boolean;
  /** Ids of the partners that were not changed. */
  readonly left: ReadonlySet<number>;
  readonly undo?: Undo | undefined;
}

interface Words {
  /** The text after the number of changed partners. */
  readonly done: string;
  readonly unchanged: string;
  readonly one?: string;
  /** The text after the number of partners that were refused. */
  readonly refused?: string;
}

export const source = "Partners page";

const ends = {
  done: "",
  aborted: "Stopped.",
  unreachable: "The service can't be reached.",
  refused: "The service refused the rest.",
} as const;

/** The sentence about a change that ended before all rows were sent. */
export function endOf({ ended, why, tally }: Sent, total: number): string {
  if (ended === "done") return "";
  return ` ${[ends[ended], why].filter(Boolean).join(" ")} ${formatCount(tally.rows)} of ${formatCount(total)} done. Repeat for the others.`;
}

/** The result of a change. The line of a row is the position of its partner in `partners`, from 1. */
export function resultOf(
  sent: Sent,
  partners: readonly BulkPartner[],
  { done, unchanged, one = "partner", refused: ofRefused = "failed" }: Words,
): BulkResult {
  const resultOfLine = new Map(sent.results.map((result) => [result.line, result]));
  const refused = partners.flatMap(({ name }, i) => {
    const result = resultOfLine.get(i + 1);
    return result?.result === "refused" ? [{ name, refusal: refusalOf(result) }] : [];
  });
  const left = partners.filter((_, i) => (resultOfLine.get(i + 1)?.result ?? "refused") === "refused");
  const { created, updated, unchanged: known } = sent.tally;
  const counts = [
    `${pluralize(created + updated, one)} ${done}`,
    ...(known > 0 ? [`${formatCount(known)} ${unchanged}`] : []),
    ...(refused.length > 0 ? [`${formatCount(refused.length)} ${ofRefused}`] : []),
  ];
  return {
    text: `${counts.join(", ")}.${endOf(sent, partners.length)}`,
    refused,
    isComplete: sent.ended === "done",
    left: new Set(left.map(({ id }) => id)),
  };
}

export const linesOf = (partners: readonly unknown[]): readonly PreparedRow[] =>
  partners.map((_, i) => ({ line: i + 1 }));

const refusalOf = ({ code = "" }: RowResult): string => refusalTitles[code] ?? code;

/** The partners whose row was changed. */
export const changedBy = (sent: Sent, partners: readonly BulkPartner[]): readonly BulkPartner[] =>
  sent.results.flatMap(({ line, result }) => (result === "updated" ? (partners[line - 1] ?? []) : []));

const statusWords = {
  paused: { done: "paused", unchanged: "paused already" },
  active: { done: "resumed", unchanged: "active already" },
} as const;

/**
 * Changes the status with the import, because one call of it takes many partners. Each row repeats the partner's name,
 * so that only the status changes.
 */
export async function setStatus(
  many: Many,
  program: Program,
  partners: readonly BulkPartner[],
  status: BulkPartner["status"],
): Promise<BulkResult> {
  const rows = partners.map(({ name, code }, i) => ({ line: i + 1, name, code, status }));
  const sent = await many.run({
    kind: "partners",
    source,
    update: true,
    rows,
    send: importSender(program),
    ifRepeated: "updated",
  });
  const changed = changedBy(sent, partners);
  const other = status === "paused" ? "active" : "paused";
  const undo: Undo = {
    label: `Undo: ${other === "active" ? "resume" : "pause"} ${pluralize(changed.length, "partner")}`,
    run: (again) => setStatus(again, program, changed, other),
  };
  return { ...resultOf(sent, partners, statusWords[status]), undo: changed.length > 0 ? undo : undefined };
}

export const invitationDays = 7;

type Mailed = readonly Pick<MailOutcome, "partnerId" | "result">[];

interface Mailing {
  post(program: Program, list: { readonly partnerIds: number[]; readonly dryRun: boolean }): Promise<Mailed>;
  whyNot?(partner: BulkPartner): string | undefined;
  readonly words: Words;
}

/** Mails partners, many in each call. A partner who was already mailed is reported as unchanged. */
function mailSender(
  { post, whyNot = () => undefined }: Mailing,
  program: Program,
  partners: readonly BulkPartner[],
): Sender {
  return ({ rows, isDryRun }) =>
    answerOf(async () => {
      const partnerIds = rows.flatMap(({ line }) => partners[line - 1]?.id ?? []);
      const outcomes = await post(program, { partnerIds, dryRun: isDryRun });
      const outcomeOf = new Map(outcomes.map(({ partnerId, result }) => [partnerId, result]));
      return rows.map(({ line }): RowResult => {
        const partner = partners[line - 1];
        const code = partner && whyNot(partner);
        if (code !== undefined) return { line, result: "refused", code };
        const result = outcomeOf.get(partner?.id ?? 0);
        if (result === "mailed") return { line, result: "created" };
        if (result === undefined || result === "already_mailed") return { line, result: "unchanged" };
        const why = whys[result];
        return { line, result: "refused", code: `${why.charAt(0).toUpperCase()}${why.slice(1)}.` };
      });
    });
}

const mailings = {
  /** A partner whose open invitation was mailed gets no second mail. */
  invite: {
    post: async (program, list) => {
      const json = { ...list, days: invitationDays, mail: true };
      const { invitations } = api.programs[":programId"].partners;
      const reply = await take(invitations.$post({ param: paramOf(program), json }));
      return "data" in reply ? reply.data.outcomes : [];
    },
    whyNot: ({ status }) => (status === "paused" ? "Paused partners aren't invited." : undefined),
    words: { done: "invited by mail", unchanged: "with access or an open invitation already", refused: "left out" },
  },
  /** A partner is asked for payment details at most once a day. */
  ask: {
    post: async (program, json) => {
      const requests = api.programs[":programId"].partners["payment-details-requests"];
      return (await take(requests.$post({ param: paramOf(program), json }))).data.outcomes;
    },
    words: { done: "asked by mail", unchanged: "asked today already", refused: "left out" },
  },
} as const satisfies Readonly<Record<string, Mailing>>;
export type MailVerb = keyof typeof mailings;

interface MailPartners {
  readonly many: Many;
  readonly program: Program;
  readonly verb: MailVerb;
  readonly partners: readonly BulkPartner[];
}

const sendMails = ({ many, program, verb, partners }: MailPartners, isDryRun: boolean): Promise<Sent> => {
  const send = mailSender(mailings[verb], program, partners);
  return many.run({ kind: "partners", source, rows: linesOf(partners), send }, isDryRun);
};

export const mailPartners = async (mails: MailPartners): Promise<BulkResult> =>
  resultOf(await sendMails(mails, false), mails.partners, mailings[mails.verb].words);

export interface MailCheck {
  /** Number of partners who would be mailed. */
  readonly count: number;
  /** Reasons why other partners would get no mail, such as "3 partners: asked today already". */
  readonly left: readonly string[];
  /** The reason why some partners couldn't be checked. Empty if all were checked. */
  readonly fault: string;
}

/** Finds out who would be mailed, without mailing anyone. */
export async function checkMails(mails: MailPartners): Promise<MailCheck> {
  const sent = await sendMails(mails, true);
  const whyLeft = sent.results.flatMap(({ result, code = "" }) =>
    result === "created" ? [] : [result === "refused" ? code : mailings[mails.verb].words.unchanged],
  );
  return {
    count: sent.tally.created,
    left: [...Map.groupBy(whyLeft, (why) => why)].map(([why, all]) => `${pluralize(all.length, "partner")}: ${why}`),
    fault: sent.ended === "done" ? "" : [ends[sent.ended], sent.why].filter(Boolean).join(" "),
  };
}
