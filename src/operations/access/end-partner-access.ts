import type { PartnerId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { accountsOfPartner, deletePartnerAccount } from "#store/partner-access.ts";
import { paymentStateOf } from "#store/payment-details.ts";
import { accessLock, payoutLock } from "../locks.ts";
import { type MailTo, mailTo, withMails } from "../mail/mail-writes.ts";
import { paymentVersionWrites } from "../manage/payment-writes.ts";
import { auditedChange, type ChangeCall, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface EndPartnerAccessCall extends ChangeCall {
  readonly kind: "end-partner-access";
  readonly partnerId: PartnerId;
  readonly accountId: string;
  /** The mail to send if the call clears payment details. */
  readonly mail?: MailTo | undefined;
}

const gather = (call: EndPartnerAccessCall) => ({
  payment: paymentStateOf(call),
  done: auditOfOperation({ operationId: call.operationId }),
  accounts: accountsOfPartner(call),
});

/** Ends an account's access to a partner, and clears the payment details that the account has set. */
export const endPartnerAccess: Operation<EndPartnerAccessCall, ReturnType<typeof gather>, undefined> = {
  kind: "end-partner-access",
  lane: "control",
  needs: () => [],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId), accessLock(programId)] }),

  decide(call, { done, payment, accounts }, context) {
    const { programId, partnerId, accountId } = call;
    if (done !== undefined) return noChange(programId, undefined);
    const account = accounts.find((each) => each.accountId === accountId);
    if (payment === undefined || account === undefined) return refuse(notFound("account"));
    const isTheirs = payment.setBy === accountId && payment.method !== null;
    const change = {
      programId,
      action: "partner_access.ended",
      subject: `partner ${partnerId}`,
      before: { accountId, role: account.role },
      after: null,
    };
    const clearing = { ...call, operationId: `${call.operationId} payment` };
    const writes = [
      deletePartnerAccount({ partnerId, accountId }),
      ...(isTheirs ? paymentVersionWrites(clearing, payment, null, context) : []),
      ...(isTheirs ? mailTo(call.mail, payment.email) : []),
    ];
    const mailsAt = isTheirs ? call.mail?.row.createdAt : undefined;
    return withMails(auditedChange(call, change, { writes, answer: undefined }, context), mailsAt);
  },
};
