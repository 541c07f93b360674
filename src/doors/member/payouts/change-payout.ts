import { ok, type Result } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import * as z from "#http/schema/zod.ts";
import type { CancelPayoutCall } from "#operations/payouts/cancel-payout.ts";
import type { ConfirmPayoutCall } from "#operations/payouts/confirm-payout.ts";
import type { FailLineCall } from "#operations/payouts/fail-line.ts";
import type { FinalizePayoutCall } from "#operations/payouts/finalize-payout.ts";
import { replyOfPayout } from "./load-payout.ts";
import { PayoutWithLines } from "./payout-record.ts";

export const ChangedPayout = z.object({ data: PayoutWithLines });

export async function changePayout(
  c: Ctx,
  call: CancelPayoutCall | ConfirmPayoutCall | FailLineCall | FinalizePayoutCall,
): Promise<Result<z.output<typeof ChangedPayout>>> {
  const changed = await runOperation(c, call);
  if (!changed.ok) return changed;
  const found = await replyOfPayout(c, call.programId, call.payoutId, true);
  return found.ok ? ok({ data: found.value }) : found;
}
