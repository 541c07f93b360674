import { ok, type Result, refused } from "../../domain/result.ts";
import { type PayoutRow, payoutById } from "../../store/payouts.ts";
import { type Decision, type Operation, refuse } from "../operation.ts";
import { changedPayout, type PayoutAnswer, type PayoutCall, payoutLock, unchanged } from "./payout.ts";

export interface FinalizePayoutCall extends PayoutCall {
  readonly kind: "finalize-payout";
  readonly expectedTotalCents: number | undefined;
  /** Milliseconds. 0: none. */
  readonly includesChangedUntil: number;
}

const gather = ({ programId, payoutId }: FinalizePayoutCall) => ({ payout: payoutById({ programId, id: payoutId }) });

export const finalizePayout: Operation<FinalizePayoutCall, ReturnType<typeof gather>, PayoutAnswer> = {
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, { payout }) {
    if (payout === undefined) return refuse({ code: "not_found", what: "payout" });
    if (payout.status === "canceled") {
      return refuse({ code: "state_conflict", message: "A canceled payout can't be finalized" });
    }
    if (payout.status === "finalizing") return joinFinalizing(call, payout);
    if (payout.status !== "draft") {
      return differsFrom(payout, call.expectedTotalCents) ? refuse({ code: "total_differs" }) : unchanged(payout);
    }
    if (payout.phase !== null) return refuse({ code: "busy" });
    return changedPayout(finalizing(payout, call), [], call.at);
  },
};

/** The call waits with the one before it, unless the two ask for different payouts. */
function joinFinalizing(call: FinalizePayoutCall, payout: PayoutRow): Decision<PayoutAnswer> {
  if (payout.phase === "returning") return unchanged(payout);
  if ((call.includesChangedUntil === 0) !== (payout.includesChangedUntil === 0)) return refuse({ code: "busy" });
  const expecting = expectingTotal(payout, call.expectedTotalCents);
  return expecting.ok ? changedPayout(expecting.value, [], call.at) : refuse(expecting.refusal);
}

/** A payout under way that has no expected total yet takes over that of a further call. */
export function expectingTotal(payout: PayoutRow, expectedCents = payout.expectedTotalCents): Result<PayoutRow> {
  const isOther = payout.expectedTotalCents !== null && payout.expectedTotalCents !== expectedCents;
  return isOther ? refused({ code: "total_differs" }) : ok({ ...payout, expectedTotalCents: expectedCents });
}

export const differsFrom = ({ totalCents }: PayoutRow, expectedCents: number | undefined): boolean =>
  expectedCents !== undefined && expectedCents !== totalCents;

export const finalizing = (
  payout: PayoutRow,
  call: Pick<FinalizePayoutCall, "actorId" | "at" | "expectedTotalCents" | "includesChangedUntil">,
): PayoutRow => ({
  ...payout,
  ...{ status: "finalizing", phase: "composing", cursorPartnerId: 0, totalCents: 0, lineCount: 0 },
  expectedTotalCents: call.expectedTotalCents ?? null,
  includesChangedUntil: call.includesChangedUntil,
  finalizedAt: call.at,
  finalizedBy: call.actorId,
});
