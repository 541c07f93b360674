import type { PayoutRow } from "../../store/payouts.ts";
import { savePayout } from "../../store/payouts.ts";
import type { Write } from "../../store/statement.ts";
import { auditWrite, type Change, type ChangeCall } from "../manage/settings-change.ts";
import type { Commit, Context } from "../operation.ts";

export interface PayoutCall extends ChangeCall {
  readonly payoutId: number;
}

/** The payout as it is once the call is committed. */
export interface PayoutAnswer {
  readonly payout: PayoutRow;
}

/** One payout of a program is worked on at a time. */
export const payoutLock = (programId: number): string => `payouts of program ${programId}`;

export const unchanged = (payout: PayoutRow): Commit<PayoutAnswer> => ({
  kind: "commit",
  programId: payout.programId,
  answer: { payout },
  writes: [],
});

/** The Ledger's own alarm continues the payout, even if the caller never asks again. */
export const changedPayout = (payout: PayoutRow, writes: readonly Write[], at: number): Commit<PayoutAnswer> => ({
  kind: "commit",
  programId: payout.programId,
  answer: { payout },
  writes: [...writes, savePayout(payout)],
  ...(payout.phase === null ? {} : { holdUntil: at }),
});

export const auditOfPayout = (
  call: Pick<ChangeCall, "operationId" | "actorId" | "at">,
  { id, programId }: PayoutRow,
  change: Pick<Change, "action" | "before" | "after">,
  context: Context,
): Write => auditWrite(call, { programId, subject: `payout ${id}`, ...change }, context);
