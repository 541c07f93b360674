import type { PartnerId } from "#domain/ids.ts";
import { isLateAccess } from "#domain/partner-access.ts";
import type { SealedPaymentDetails } from "#domain/payment-details.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { accountsOfPartner, earliestCommission } from "#store/partner-access.ts";
import { paymentStateOf } from "#store/payment-details.ts";
import { accessLock, payoutLock } from "../locks.ts";
import { type MailTo, mailTo, withMails } from "../mail/mail-writes.ts";
import { type Operation, refuse } from "../operation.ts";
import { paymentVersionWrites } from "./payment-writes.ts";
import { type ChangeCall, noChange } from "./settings-change.ts";

export interface SetPaymentDetailsCall extends ChangeCall {
  readonly kind: "set-payment-details";
  readonly partnerId: PartnerId;
  /** `partner` requires that the actor's account still has access to the partner, with the role `manage`. */
  readonly actsAs: "partner" | "owner";
  readonly sealed: SealedPaymentDetails;
  /** The mail to the partner, if one is sent. */
  readonly mail?: MailTo | undefined;
}

const gather = (call: SetPaymentDetailsCall) => ({
  payment: paymentStateOf(call),
  done: auditOfOperation({ operationId: call.operationId }),
  accounts: accountsOfPartner(call),
  earliest: call.actsAs === "partner" ? earliestCommission(call) : undefined,
});

export const setPaymentDetails: Operation<SetPaymentDetailsCall, ReturnType<typeof gather>, undefined> = {
  kind: "set-payment-details",
  lane: "control",
  needs: () => [],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId), accessLock(programId)] }),

  decide(call, { done, payment, accounts, earliest }, context) {
    const { programId, actorId, actsAs, sealed } = call;
    const access = accounts.find(({ accountId }) => accountId === actorId);
    const mayAct = actsAs === "owner" || access?.role === "manage";
    if (payment === undefined || !mayAct) return refuse(notFound("partner"));
    if (payment.erasureId !== null) return refuse({ code: "partner_erased" });
    const isSame = payment.digest === sealed.digest && payment.setBy === actorId;
    if (done !== undefined || isSame) return noChange(programId, undefined);
    const mails = mailTo(call.mail, payment.email);
    const isByLateAccess = actsAs === "partner" && isLateAccess(access, earliest);
    const writes = [...paymentVersionWrites({ ...call, isByLateAccess }, payment, sealed, context), ...mails];
    return withMails({ kind: "commit", programId, answer: undefined, writes }, call.mail?.row.createdAt);
  },
};
