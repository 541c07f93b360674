import { ok, type Result, refused } from "#domain/result.ts";
import type { PayoutRow } from "#store/payouts.ts";
import type { UnacknowledgedRestore } from "#store/restores.ts";
import type { Write } from "#store/statement.ts";
import type { Context } from "../operation.ts";
import { auditOfPayout, type PayoutCall } from "./payout.ts";

export interface AcknowledgingCall extends PayoutCall {
  /** The instant of the restore that a member has acknowledged (ms). */
  readonly restoreAcknowledged: number | null;
}

/**
 * Payouts since the backup are lost, so the first payout after a restore may pay the same amounts again: the program
 * has to acknowledge it once. A payout that the backup has as final may have been sent since, so each of those needs
 * one acknowledgment too.
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
