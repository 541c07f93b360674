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
  /** Follows the number of changed partners. */
  readonly done: string;
  readonly unchanged: string;
  readonly one?: string;
  /** Follows the number of partners that were refused. */
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
  return ` ${[ends[ended], why].filter(Boolean).join(" ")} ${formatCount(tally.rows)} of ${formatCount(total)} done: start again for the others.`;
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
 * Changes the status by the import, which takes lists. Each row repeats the partner's name, so only the status changes.
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

/** Mails partners by lists. Partners who were mailed before are unchanged. */
function mailSender(
  partners: readonly BulkPartner[],
  post: (partnerIds: number[]) => Promise<Mailed>,
  whyNot: (partner: BulkPartner) => string | undefined = () => undefined,
): Sender {
  return ({ rows }) =>
    answerOf(async () => {
      const outcomes = await post(rows.flatMap(({ line }) => partners[line - 1]?.id ?? []));
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

export type MailVerb = (many: Many, program: Program, partners: readonly BulkPartner[]) => Promise<BulkResult>;

/** Invites partners by mail. Those whose open invitation was mailed get no second mail. */
export const invite: MailVerb = async (many, program, partners) => {
  const post = async (partnerIds: number[]): Promise<Mailed> => {
    const json = { partnerIds, days: invitationDays, mail: true };
    const reply = await take(api.programs[":programId"].partners.invitations.$post({ param: paramOf(program), json }));
    return "data" in reply ? reply.data.outcomes : [];
  };
  const whyNot = ({ status }: BulkPartner) => (status === "paused" ? "Paused partners aren't invited." : undefined);
  const send = mailSender(partners, post, whyNot);
  const sent = await many.run({ kind: "partners", source, rows: linesOf(partners), send });
  return resultOf(sent, partners, { done: "invited by mail", unchanged: "with access or an open invitation already" });
};

/** Asks partners for their payment details by mail, each once a day. */
export const askForDetails: MailVerb = async (many, program, partners) => {
  const requests = api.programs[":programId"].partners["payment-details-requests"];
  const post = async (partnerIds: number[]): Promise<Mailed> =>
    (await take(requests.$post({ param: paramOf(program), json: { partnerIds } }))).data.outcomes;
  const send = mailSender(partners, post);
  const sent = await many.run({ kind: "partners", source, rows: linesOf(partners), send });
  return resultOf(sent, partners, { done: "asked by mail", unchanged: "asked today already", refused: "left out" });
};
