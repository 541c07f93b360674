import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { unmailedStatements } from "#store/payout-lines.ts";
import { payoutById } from "#store/payouts.ts";
import { payoutLock } from "../locks.ts";
import { withMails } from "../mail/mail-writes.ts";
import { type Operation, refuse } from "../operation.ts";
import {
  auditOfPayout,
  changedPayout,
  type MailingCall,
  mailsAt,
  mailsOfLines,
  type PayoutAnswer,
  unchanged,
} from "./payout.ts";

export interface MailStatementsCall extends MailingCall {
  readonly kind: "mail-statements";
}

const gather = ({ operationId, programId, payoutId, recipients = [] }: MailStatementsCall) => ({
  done: auditOfOperation({ operationId }),
  payout: payoutById({ programId, id: payoutId }),
  unmailed: unmailedStatements({ payoutId, partnerIds: JSON.stringify(recipients.map(({ partnerId }) => partnerId)) }),
});

/**
 * Mails the statements of a paid payout, except those that a mail about the payment contained. Each statement is mailed
 * once, however often this operation is called.
 */
export const mailStatements: Operation<MailStatementsCall, ReturnType<typeof gather>, PayoutAnswer> = {
  kind: "mail-statements",
  lane: "control",
  needs: () => [],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, { done, payout, unmailed }, context) {
    if (payout === undefined) return refuse(notFound("payout"));
    if (payout.status !== "paid" && payout.settledCents === 0) return refuse({ code: "payout_not_paid" });
    if (done !== undefined || unmailed === 0 || call.mailsFrom === undefined) return unchanged(payout);
    const change = { action: "payout.statements_mailed", before: null, after: { lines: unmailed } };
    const mailing = changedPayout(payout, [
      ...mailsOfLines(call, "statement", null),
      auditOfPayout(call, payout, change, context),
    ]);
    return withMails(mailing, mailsAt(call));
  },
};
