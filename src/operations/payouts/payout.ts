import type { PartnerId, PayoutId } from "#domain/ids.ts";
import type { LineTemplate } from "#domain/mail/mail.ts";
import { insertLineMails } from "#store/mails.ts";
import type { PayoutRow } from "#store/payouts.ts";
import type { Write } from "#store/statement.ts";
import { auditWrite, type Change, type ChangeCall } from "../manage/settings-change.ts";
import type { Commit, Context } from "../operation.ts";

export interface PayoutCall extends ChangeCall {
  readonly payoutId: PayoutId;
}

export interface MailingCall extends PayoutCall {
  /** Where the links of its mails lead. Undefined: none is written. */
  readonly mailsFrom?: string | undefined;
  /** Mails to partners without an account that there is room for. */
  readonly strangers?: number;
}

export const mailsOfLines = (
  { payoutId, operationId, at, mailsFrom: origin, strangers = 0 }: MailingCall,
  template: LineTemplate,
  partnerId: PartnerId | null,
): readonly Write[] =>
  origin === undefined ? [] : [insertLineMails({ payoutId, partnerId, template, origin, operationId, at, strangers })];

export const mailsAt = ({ at, mailsFrom }: MailingCall): number | undefined =>
  mailsFrom === undefined ? undefined : at;

/** The payout as it is once the call is committed. */
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

export const aboutPayout = ({ id, programId }: PayoutRow) => ({ programId, subject: `payout ${id}` });

export const auditOfPayout = (
  call: Pick<ChangeCall, "operationId" | "actorId" | "at">,
  payout: PayoutRow,
  change: Pick<Change, "action" | "before" | "after">,
  context: Context,
): Write => auditWrite(call, { ...aboutPayout(payout), ...change }, context);
