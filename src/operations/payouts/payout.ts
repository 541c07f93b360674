import type { PayoutId } from "#domain/ids.ts";
import type { PayoutRow } from "#store/payouts.ts";
import type { Write } from "#store/statement.ts";
import { auditWrite, type Change, type ChangeCall } from "../manage/settings-change.ts";
import type { Commit, Context } from "../operation.ts";

export interface PayoutCall extends ChangeCall {
  readonly payoutId: PayoutId;
}

export const changedPayout = ({ programId }: PayoutRow, writes: readonly Write[]): Commit<undefined> => ({
  kind: "commit",
  programId,
  answer: undefined,
  writes,
});

export const unchanged = (payout: PayoutRow): Commit<undefined> => changedPayout(payout, []);

export const aboutPayout = ({ id, programId }: PayoutRow) => ({ programId, subject: `payout ${id}` });

export const auditOfPayout = (
  call: Pick<ChangeCall, "operationId" | "actorId" | "at">,
  payout: PayoutRow,
  change: Pick<Change, "action" | "before" | "after">,
  context: Context,
): Write => auditWrite(call, { ...aboutPayout(payout), ...change }, context);
