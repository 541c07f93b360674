import type { PartnerId } from "#domain/ids.ts";
import type { SealedPaymentDetails } from "#domain/payment-details.ts";
import { auditOfOperation } from "#store/audit.ts";
import { accountsOfPartner } from "#store/partner-access.ts";
import { accessLock, payoutLock } from "../locks.ts";
import { type Operation, refuse } from "../operation.ts";
import { paymentVersionWrites, readPaymentDetails } from "./payment-writes.ts";
import { type ChangeCall, noChange } from "./settings-change.ts";

export interface SetPaymentDetailsCall extends ChangeCall {
  readonly kind: "set-payment-details";
  readonly partnerId: PartnerId;
  /** `partner`: only while the actor's account has access. */
  readonly actsAs: "partner" | "owner";
  readonly sealed: SealedPaymentDetails;
}

const gather = (call: SetPaymentDetailsCall) => ({
  ...readPaymentDetails(call),
  done: auditOfOperation({ operationId: call.operationId }),
  accounts: accountsOfPartner(call),
});

export const setPaymentDetails: Operation<SetPaymentDetailsCall, ReturnType<typeof gather>, undefined> = {
  kind: "set-payment-details",
  lane: "control",
  needs: () => [],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId), accessLock(programId)] }),

  decide(call, { done, partner, newest, paidLine, accounts }, context) {
    const { programId, actorId, actsAs, sealed } = call;
    const mayAct =
      actsAs === "owner" || accounts.some(({ accountId, role }) => accountId === actorId && role === "manage");
    if (partner === undefined || !mayAct) return refuse({ code: "not_found", what: "partner" });
    const isSame = newest?.digest === sealed.digest && newest.setBy === actorId;
    if (done !== undefined || isSame) return noChange(programId, undefined);
    const writes = paymentVersionWrites(call, { partner, newest, paidLine }, sealed, context);
    return { kind: "commit", programId, answer: undefined, writes };
  },
};
