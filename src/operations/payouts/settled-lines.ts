import { dayIn } from "#domain/calendar.ts";
import type { Refusal } from "#domain/refusal.ts";
import { type SettledSums, statusAfter } from "#domain/settlement.ts";
import { insertEntry } from "#store/commissions.ts";
import type { LineRow } from "#store/payout-lines.ts";
import { type PayoutRow, savePayout, saveSums } from "#store/payouts.ts";
import type { Write } from "#store/statement.ts";
import { newEntry } from "../entry.ts";
import type { ChangeCall } from "../manage/settings-change.ts";
import type { Context } from "../operation.ts";
import { auditOfPayout } from "./payout.ts";

/** Returns the reason why the payout's lines can't be settled by API. */
export function whyNotByApi({ settledBy, finalizedNumber }: PayoutRow): Refusal | undefined {
  if (finalizedNumber === null) return { code: "payout_not_final" };
  return settledBy === "person" ? { code: "settled_by_person" } : undefined;
}

/**
 * Used before an unsettled line fails or is canceled. A restore may have lost the second person's confirmation, so the
 * line may have been due and settled. The payout then counts as due from now on. The instant is stored, because the
 * database stores only its last restore.
 */
export const dueAfter = (restore: object | undefined, payout: PayoutRow, at: number): PayoutRow =>
  restore !== undefined && payout.settledBy === "api" && payout.dueAt === null ? { ...payout, dueAt: at } : payout;

type By = Pick<ChangeCall, "operationId" | "actorId" | "at">;

/**
 * Adds amounts to the sums of a payout that is settled by API. If no line is open any more, the payout becomes paid, or
 * canceled if no line was settled. The returned writes must follow those of the lines.
 */
export function withSums(
  call: By,
  payout: PayoutRow,
  added: Partial<SettledSums>,
  context: Context,
): { readonly payout: PayoutRow; readonly writes: readonly Write[] } {
  const { settledCents = 0, givenBackCents = 0, returnedCents = 0 } = added;
  const counted = {
    ...payout,
    settledCents: payout.settledCents + settledCents,
    givenBackCents: payout.givenBackCents + givenBackCents,
    returnedCents: payout.returnedCents + returnedCents,
  };
  const status = payout.status === "final" ? statusAfter(counted) : payout.status;
  if (status === payout.status) return { payout: counted, writes: [saveSums(counted)] };
  const { at, actorId } = call;
  const isPaid = status === "paid";
  const closed: PayoutRow = isPaid
    ? { ...counted, status, paidAt: at }
    : { ...counted, status, canceledAt: at, canceledBy: actorId, canceledNumber: context.newId("ledgerEntries") };
  // The line's audit entry already uses the call's operation id.
  const closing = { ...call, operationId: `${call.operationId} close` };
  const { totalCents } = closed;
  const change = isPaid
    ? {
        action: "payout.settled",
        before: { status: "final" },
        after: { status, totalCents, settledCents: closed.settledCents, paidAt: at },
      }
    : { action: "payout.canceled", before: { status: "final", totalCents }, after: { status } };
  return { payout: closed, writes: [savePayout(closed), auditOfPayout(closing, payout, change, context)] };
}

/** The ledger entry that pays the amount of a line, or returns it. */
export function lineEntry(
  { id, programId, partnerId, amountCents, currency }: LineRow,
  {
    kind,
    occurredAt,
    timezone,
  }: { readonly kind: "paid" | "returned"; readonly occurredAt: number; readonly timezone: string },
  context: Context,
): Write {
  return insertEntry(
    newEntry(
      {
        programId,
        isTest: false,
        partnerId,
        amountCents: kind === "paid" ? -amountCents : amountCents,
        currency,
        kind,
        occurredAt,
        day: dayIn(timezone, occurredAt),
        payoutLineId: id,
      },
      context,
    ),
  );
}
