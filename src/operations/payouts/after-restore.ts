import { ok, type Result, refused } from "#domain/result.ts";
import type { PayoutRow } from "#store/payouts.ts";
import type { UnacknowledgedRestore } from "#store/restores.ts";
import type { Write } from "#store/statement.ts";
import type { Context } from "../operation.ts";
import { auditOfPayout, type PayoutCall } from "./payout.ts";

export interface AcknowledgingCall extends PayoutCall {
  /** The instant (ms) of the restore that a member has acknowledged. */
  readonly restoreAcknowledged: number | null;
}

/**
 * Requires an acknowledgment after a restore, and returns its audit entry.
 *
 * Payouts since the backup are lost, so the first payout after a restore may pay the same amounts again. A member has
 * to acknowledge this once per program. A payout that is final in the backup may have been paid since, so each such
 * payout needs its own acknowledgment.
 */
export function acknowledging(
  call: AcknowledgingCall,
  payout: PayoutRow,
  restored: UnacknowledgedRestore | undefined,
  context: Context,
): Result<readonly Write[]> {
  if (restored === undefined) return ok([]);
  if (call.restoreAcknowledged !== restored.restoredAt) return refused({ code: "restored", restored });
  const { restoredAt, backupAt, acknowledgment: operationId } = restored;
  const change = { action: "payout.restore_acknowledged", before: null, after: { restoredAt, backupAt } };
  return ok([auditOfPayout({ ...call, operationId }, payout, change, context)]);
}
