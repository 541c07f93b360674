import { deleteRanges } from "../../store/payout-ranges.ts";
import { payoutById, savePayout } from "../../store/payouts.ts";
import { payoutLock } from "../locks.ts";
import { type Operation, refuse } from "../operation.ts";
import { auditOfPayout, changedPayout, type PayoutAnswer, type PayoutCall, unchanged } from "./payout.ts";

export interface CancelPayoutCall extends PayoutCall {
  readonly kind: "cancel-payout";
  /** As the caller has seen it. */
  readonly expectedStatus: "draft" | "final" | undefined;
}

const gather = ({ programId, payoutId }: CancelPayoutCall) => ({ payout: payoutById({ programId, id: payoutId }) });

export const cancelPayout: Operation<CancelPayoutCall, ReturnType<typeof gather>, PayoutAnswer> = {
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, { payout }, context) {
    if (payout === undefined) return refuse({ code: "not_found", what: "payout" });
    if (payout.status === "canceled") return unchanged(payout);
    if (payout.status === "paid") {
      return refuse({ code: "state_conflict", message: "A paid payout can't be canceled" });
    }
    if (call.expectedStatus !== undefined && payout.status !== call.expectedStatus) {
      const message = `The payout is ${payout.status} now, not ${call.expectedStatus}`;
      return refuse({ code: "state_conflict", message });
    }
    const canceled = {
      ...payout,
      status: "canceled",
      canceledAt: call.at,
      canceledBy: call.actorId,
      canceledNumber: context.newId("ledgerEntries"),
    } as const;
    const before = { status: payout.status, totalCents: payout.totalCents };
    const change = { action: "payout.canceled", before, after: { status: "canceled" } };
    return changedPayout(canceled, [
      savePayout(canceled),
      ...(payout.status === "final" ? [deleteRanges({ payoutId: payout.id, partnerId: null })] : []),
      auditOfPayout(call, payout, change, context),
    ]);
  },
};
