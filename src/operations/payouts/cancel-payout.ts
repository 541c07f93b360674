import { notFound } from "#domain/result.ts";
import { openCents } from "#domain/settlement.ts";
import { auditOfOperation } from "#store/audit.ts";
import { giveBackOpenLines } from "#store/payout-lines.ts";
import { deleteRanges, deleteRangesGivenBack } from "#store/payout-ranges.ts";
import { type PayoutRow, payoutById, savePayout } from "#store/payouts.ts";
import { restoreOfFinalized, unacknowledgedRestore } from "#store/restores.ts";
import type { Write } from "#store/statement.ts";
import { payoutLock } from "../locks.ts";
import { noted } from "../manage/noted.ts";
import { type Commit, type Context, type Operation, refuse } from "../operation.ts";
import { type AcknowledgingCall, acknowledging } from "./after-restore.ts";
import { aboutPayout, auditOfPayout, changedPayout, type PayoutAnswer, unchanged } from "./payout.ts";
import { dueAfter, withSums } from "./settled-lines.ts";

export interface CancelPayoutCall extends AcknowledgingCall {
  readonly kind: "cancel-payout";
  /** The payout's status as the caller saw it. */
  readonly expectedStatus: "draft" | "final" | null;
}

const gather = ({ operationId, programId, payoutId }: CancelPayoutCall) => ({
  done: auditOfOperation({ operationId }),
  payout: payoutById({ programId, id: payoutId }),
  restored: unacknowledgedRestore({ programId, payoutId }),
  restore: restoreOfFinalized({ programId, payoutId }),
});

export const cancelPayout: Operation<CancelPayoutCall, ReturnType<typeof gather>, PayoutAnswer> = {
  kind: "cancel-payout",
  isEssential: true,
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, { done, payout, restored, restore }, context) {
    if (payout === undefined) return refuse(notFound("payout"));
    if (payout.status === "canceled" || done !== undefined) return unchanged(payout);
    const { status } = payout;
    const { expectedStatus } = call;
    const isByApi = payout.settledBy === "api";
    if (status === "paid" && isByApi) return refuse({ code: "nothing_due" });
    if (status === "paid") return refuse({ code: "payout_closed", status, action: "canceled" });
    if (expectedStatus !== null && status !== expectedStatus) {
      return refuse({ code: "payout_changed", status, expectedStatus });
    }
    const acknowledged = acknowledging(call, payout, status === "final" ? restored : undefined, context);
    if (!acknowledged.ok) return refuse(acknowledged.refusal);
    if (isByApi && status === "final") {
      return giveBack(call, dueAfter(restore, payout, call.at), acknowledged.value, context);
    }
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
      ...(payout.status === "final" ? [deleteRanges({ payoutId: payout.id })] : []),
      auditOfPayout(call, payout, change, context),
    ]);
  },
};

const canceledReason = "The payout was canceled.";

function giveBack(
  call: CancelPayoutCall,
  payout: PayoutRow,
  acknowledged: readonly Write[],
  context: Context,
): Commit<PayoutAnswer> {
  const { id: payoutId, totalCents, settledCents } = payout;
  const givenBackCents = openCents(payout);
  const { writes: notes, named } = noted(aboutPayout(payout), { reason: canceledReason }, context);
  const failureId = named.reason.note;
  const givenBackNumber = context.newId("ledgerEntries");
  const failure = { failedAt: call.at, failedBy: call.actorId, failureId, givenBackNumber };
  const after = withSums(call, payout, { givenBackCents }, context);
  const change = {
    action: "payout.rest_canceled",
    before: { totalCents, settledCents },
    after: { givenBackCents, ...named },
  };
  return changedPayout(after.payout, [
    ...acknowledged,
    ...notes,
    giveBackOpenLines({ payoutId, ...failure }),
    deleteRangesGivenBack({ payoutId }),
    ...after.writes,
    auditOfPayout(call, payout, change, context),
  ]);
}
