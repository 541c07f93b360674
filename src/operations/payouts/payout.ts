import type { PartnerId, PayoutId } from "#domain/ids.ts";
import type { LineTemplate } from "#domain/mail/mail.ts";
import { insertLineMails, type LineRecipient, markStatementsMailed } from "#store/line-mails.ts";
import type { PayoutRow } from "#store/payouts.ts";
import type { Write } from "#store/statement.ts";
import { auditWrite, type Change, type ChangeCall, type KeyedChangeCall } from "../manage/settings-change.ts";
import type { Call, Commit, Context } from "../operation.ts";

export interface PayoutCall extends ChangeCall {
  readonly payoutId: PayoutId;
}

/** A call about a payout's lines. The actor may be an API key. */
export interface LineCall extends KeyedChangeCall, Mailing {
  readonly payoutId: PayoutId;
}

interface Mailing {
  /** The origin of links in the mails. Undefined if no mail is written. */
  readonly mailsFrom?: string | undefined;
  /** The partners to mail. Their addresses have been counted against the limit of mails. */
  readonly recipients?: readonly LineRecipient[];
}

export interface MailingCall extends PayoutCall, Mailing {}

/** Writes a mail about each line. The mail contains the line's statement, unless the line failed. */
export const mailsOfLines = (
  { payoutId, operationId, at, mailsFrom: origin, recipients = [] }: Call & Mailing & Pick<PayoutCall, "payoutId">,
  template: LineTemplate,
  partnerId: PartnerId | null,
): readonly Write[] => {
  if (origin === undefined) return [];
  const listed = JSON.stringify(recipients.map(({ partnerId: id, to, accountId = null }) => [id, to, accountId]));
  const insert = insertLineMails({ payoutId, partnerId, template, origin, operationId, at, recipients: listed });
  return template === "line_failed"
    ? [insert]
    : [insert, markStatementsMailed({ payoutId, partnerId, operationId, at })];
};

export const mailsAt = ({ at, mailsFrom }: Pick<MailingCall, "at" | "mailsFrom">): number | undefined =>
  mailsFrom === undefined ? undefined : at;

/** The payout after the commit. */
export interface PayoutAnswer {
  readonly payout: PayoutRow;
}

export const changedPayout = (payout: PayoutRow, writes: readonly Write[]): Commit<PayoutAnswer> => ({
  kind: "commit",
  programId: payout.programId,
  answer: { payout },
  writes,
});

export const unchanged = (payout: PayoutRow): Commit<PayoutAnswer> => changedPayout(payout, []);

export const aboutPayout = ({ id, programId }: Pick<PayoutRow, "id" | "programId">) => ({
  programId,
  subject: `payout ${id}`,
});

export const auditOfPayout = (
  call: Pick<ChangeCall, "operationId" | "actorId" | "at">,
  payout: Pick<PayoutRow, "id" | "programId">,
  change: Pick<Change, "action" | "before" | "after">,
  context: Context,
): Write => auditWrite(call, { ...aboutPayout(payout), ...change }, context);
