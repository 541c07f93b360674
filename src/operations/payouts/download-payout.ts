import type { PayFormat } from "#domain/pay-format.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { payoutById } from "#store/payouts.ts";
import { unacknowledgedRestore } from "#store/restores.ts";
import { noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";
import { type AcknowledgingCall, acknowledging } from "./after-restore.ts";
import { auditOfPayout } from "./payout.ts";

export interface DownloadPayoutCall extends AcknowledgingCall {
  readonly kind: "download-payout";
  /** The payment file. Undefined for the payment list (CSV). */
  readonly file?: { readonly format: PayFormat; readonly totalCents: number; readonly lines: number };
}

const gather = ({ operationId, programId, payoutId }: DownloadPayoutCall) => ({
  done: auditOfOperation({ operationId }),
  payout: payoutById({ programId, id: payoutId }),
  restored: unacknowledgedRestore({ programId, payoutId }),
});

/** Records a download in the audit trail. */
export const downloadPayout: Operation<DownloadPayoutCall, ReturnType<typeof gather>, undefined> = {
  kind: "download-payout",
  isEssential: true,
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, payout, restored }, context) {
    const { programId } = call;
    if (payout === undefined) return refuse(notFound("payout"));
    if (done !== undefined) return noChange(programId, undefined);
    if (payout.settledBy === "api") return refuse({ code: "settled_by_api" });
    if (payout.status === "draft") return refuse({ code: "payout_not_final" });
    if (payout.status === "canceled")
      return refuse({ code: "payout_closed", status: payout.status, action: "downloaded" });
    const acknowledged = acknowledging(call, payout, payout.status === "final" ? restored : undefined, context);
    if (!acknowledged.ok) return refuse(acknowledged.refusal);
    const after = call.file ?? { totalCents: payout.totalCents, lines: payout.lineCount };
    const change = { action: "payout.downloaded", before: null, after };
    const writes = [...acknowledged.value, auditOfPayout(call, payout, change, context)];
    return { kind: "commit", programId, answer: undefined, writes };
  },
};
