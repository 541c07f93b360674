import type { PayoutApproval } from "../../domain/payout-status.ts";
import { type PayoutRow, payoutById } from "../../store/payouts.ts";
import { programById } from "../../store/programs.ts";
import type { Write } from "../../store/statement.ts";
import { type Context, type Decision, type Operation, refuse } from "../operation.ts";
import { differsFrom, expectingTotal, finalizing } from "./finalize-payout.ts";
import { auditOfPayout, changedPayout, type PayoutAnswer, type PayoutCall, payoutLock, unchanged } from "./payout.ts";

export interface ConfirmPayoutCall extends PayoutCall {
  readonly kind: "confirm-payout";
  /** Milliseconds. Undefined: the instant of the call. */
  readonly paidAt: number | undefined;
  readonly note: string | undefined;
  readonly expectedTotalCents: number | undefined;
  /** Milliseconds. 0: none. */
  readonly includesChangedUntil: number;
}

const gather = ({ programId, payoutId }: ConfirmPayoutCall) => ({
  program: programById({ id: programId }),
  payout: payoutById({ programId, id: payoutId }),
});

export const confirmPayout: Operation<ConfirmPayoutCall, ReturnType<typeof gather>, PayoutAnswer> = {
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, { program, payout }, context) {
    if (program === undefined || payout === undefined) return refuse({ code: "not_found", what: "payout" });
    switch (payout.status) {
      case "canceled":
        return refuse({ code: "state_conflict", message: "A canceled payout can't be confirmed" });
      case "draft":
        return confirmDraft(call, payout, program.payoutApproval);
      case "finalizing":
        return confirmFinalizing(call, payout, program.payoutApproval);
      case "final":
        return confirmFinal(call, payout, program.payoutApproval, context);
      default:
        return differsFrom(payout, call.expectedTotalCents) ? refuse({ code: "total_differs" }) : unchanged(payout);
    }
  },
};

export const finalizeFirst = { code: "state_conflict", message: "Finalize the payout first." } as const;

function confirmDraft(call: ConfirmPayoutCall, payout: PayoutRow, approval: PayoutApproval): Decision<PayoutAnswer> {
  if (approval === "two_people") return refuse(finalizeFirst);
  if (payout.phase !== null) return refuse({ code: "busy" });
  return changedPayout({ ...finalizing(payout, call), ...requested(call) }, [], call.at);
}

/** The payout is confirmed by the step that makes it final. */
function confirmFinalizing(
  call: ConfirmPayoutCall,
  payout: PayoutRow,
  approval: PayoutApproval,
): Decision<PayoutAnswer> {
  if (payout.phase === "returning") return unchanged(payout);
  const isRequested = payout.confirmedBy !== null;
  if (!isRequested && isSamePerson(call, payout, approval)) return refuse({ code: "same_person" });
  const expecting = expectingTotal(payout, call.expectedTotalCents);
  if (!expecting.ok) return refuse(expecting.refusal);
  return changedPayout({ ...expecting.value, ...(isRequested ? {} : requested(call)) }, [], call.at);
}

const isSamePerson = ({ actorId }: ConfirmPayoutCall, { finalizedBy }: PayoutRow, approval: PayoutApproval): boolean =>
  approval === "two_people" && finalizedBy === actorId;

function confirmFinal(
  call: ConfirmPayoutCall,
  payout: PayoutRow,
  approval: PayoutApproval,
  context: Context,
): Decision<PayoutAnswer> {
  if (isSamePerson(call, payout, approval)) return refuse({ code: "same_person" });
  if (differsFrom(payout, call.expectedTotalCents)) return refuse({ code: "total_differs" });
  const { confirmed, writes } = markConfirmed(call, { ...payout, ...requested(call) }, context);
  return changedPayout(confirmed, writes, call.at);
}

const requested = ({ paidAt, note, actorId, at }: ConfirmPayoutCall) => ({
  paidAt: paidAt ?? at,
  note: note ?? null,
  confirmedBy: actorId,
});

/** Of a payout whose confirmation was requested. From the commit of these writes on, it counts as paid. */
export function markConfirmed(
  call: Pick<ConfirmPayoutCall, "operationId" | "actorId" | "at">,
  payout: PayoutRow,
  context: Context,
): { readonly confirmed: PayoutRow; readonly writes: readonly Write[] } {
  const confirmed = { ...payout, status: "confirming", phase: "paying", confirmedAt: call.at } as const;
  const { totalCents, lineCount: lines, paidAt, note } = payout;
  const after = { status: "paid", totalCents, lines, paidAt, ...(note === null ? {} : { note }) };
  const change = { action: "payout.confirmed", before: { status: "final" }, after };
  return { confirmed, writes: [auditOfPayout(call, payout, change, context)] };
}
