import { notFound } from "#domain/result.ts";
import { deleteRanges } from "#store/payout-ranges.ts";
import { payoutById, savePayout } from "#store/payouts.ts";
import { unacknowledgedRestore } from "#store/restores.ts";
import { payoutLock } from "../locks.ts";
import { type Operation, refuse } from "../operation.ts";
import { type AcknowledgingCall, acknowledging } from "./after-restore.ts";
import { auditOfPayout, changedPayout, type PayoutAnswer, unchanged } from "./payout.ts";

export interface CancelPayoutCall extends AcknowledgingCall {
  readonly kind: "cancel-payout";
  /** The payout's status as the caller saw it. */
  readonly expectedStatus: "draft" | "final" | null;
}

const gather = ({ programId, payoutId }: CancelPayoutCall) => ({
  payout: payoutById({ programId, id: payoutId }),
  restored: unacknowledgedRestore({ programId, payoutId }),
});

export const cancelPayout: Operation<CancelPayoutCall, ReturnType<typeof gather>, PayoutAnswer> = {
  kind: "cancel-payout",
  isEssential: true,
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, { payout, restored }, context) {
    if (payout === undefined) return refuse(notFound("payout"));
    if (payout.status === "canceled") return unchanged(payout);
    const { status } = payout;
    const { expectedStatus } = call;
    if (status === "paid") return refuse({ code: "payout_closed", status, action: "canceled" });
    if (expectedStatus !== null && status !== expectedStatus) {
      return refuse({ code: "payout_changed", status, expectedStatus });
    }
    const acknowledged = acknowledging(call, payout, status === "final" ? restored : undefined, context);
    if (!acknowledged.ok) return refuse(acknowledged.refusal);
    const canceled = {
      ...payout,
      status: "canceled",
      canceledAt: call.at,
      canceledBy: call.actorId,
      canceledNumber: context.newId("ledgerEntries"),
    } as const;
    const before = { status, totalCents: payout.totalCents };
    const change = { action: "payout.canceled", before, after: { status: "canceled" } };
    return changedPayout(canceled, [
      ...acknowledged.value,
      savePayout(canceled),
      ...(payout.status === "final" ? [deleteRanges({ payoutId: payout.id, partnerId: null })] : []),
      auditOfPayout(call, payout, change, context),
    ]);
  },
};
