import { type PayoutRow, payoutById } from "../../store/payouts.ts";
import { type Operation, refuse } from "../operation.ts";
import { changedPayout, type PayoutAnswer, type PayoutCall, payoutLock, unchanged } from "./payout.ts";

export interface FinalizePayoutCall extends PayoutCall {
  readonly kind: "finalize-payout";
  readonly expectedTotalCents: number | undefined;
  readonly includesChanged: boolean;
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
    if (payout.status === "finalizing") return unchanged(payout);
    if (payout.status !== "draft") {
      return differsFrom(payout, call.expectedTotalCents) ? refuse({ code: "total_differs" }) : unchanged(payout);
    }
    if (payout.phase !== null) return refuse({ code: "busy" });
    return changedPayout(finalizing(payout, call), [], call.at);
  },
};

export const differsFrom = ({ totalCents }: PayoutRow, expectedCents: number | undefined): boolean =>
  expectedCents !== undefined && expectedCents !== totalCents;

export const finalizing = (
  payout: PayoutRow,
  call: Pick<FinalizePayoutCall, "actorId" | "at" | "expectedTotalCents" | "includesChanged">,
): PayoutRow => ({
  ...payout,
  ...{ status: "finalizing", phase: "composing", cursorPartnerId: 0, totalCents: 0, lineCount: 0 },
  expectedTotalCents: call.expectedTotalCents ?? null,
  includesChanged: call.includesChanged,
  finalizedAt: call.at,
  finalizedBy: call.actorId,
});
