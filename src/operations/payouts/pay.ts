import { dayIn } from "../../domain/calendar.ts";
import { takeStep } from "../../domain/payout.ts";
import { type EntryRow, insertEntry } from "../../store/commissions.ts";
import { payCommissions, type UnpaidLine, unpaidCommissions, unpaidLines } from "../../store/payout-lines.ts";
import type { PayoutRow } from "../../store/payouts.ts";
import type { Write } from "../../store/statement.ts";
import type { Context, Gathered } from "../operation.ts";

const linesPerStep = 100;
const commissionsPerStep = { maxRows: 250, maxEntries: 250 };

export const readUnpaid = (payoutId: number) => ({
  unpaidLines: unpaidLines({ payoutId, limit: linesPerStep + 1 }),
  unpaidCommissions: unpaidCommissions({ payoutId, limit: commissionsPerStep.maxRows + 1 }),
});

/** Marks commissions as paid, and posts the `paid` entry of each line that has no others. */
export function payLines(
  payout: PayoutRow,
  found: Gathered<ReturnType<typeof readUnpaid>>,
  timezone: string,
  context: Context,
): { readonly payout: PayoutRow; readonly writes: readonly Write[] } {
  const { taken, completeBelow } = takeStep(found.unpaidCommissions, commissionsPerStep);
  const lines = found.unpaidLines.slice(0, linesPerStep);
  const complete = lines.filter(({ id }) => id < completeBelow);
  const occurredAt = payout.paidAt ?? payout.createdAt;
  const paid = { kind: "paid", occurredAt, day: dayIn(timezone, occurredAt) } as const;
  const isLast = complete.length === found.unpaidLines.length;
  return {
    payout: isLast ? { ...payout, status: "paid", phase: null } : payout,
    writes: [
      ...(taken.length > 0 ? [payCommissions({ ids: JSON.stringify(taken.map(({ id }) => id)) })] : []),
      ...complete.map((line) =>
        insertEntry(lineEntry(payout, line, { ...paid, amountCents: -line.amountCents }, context)),
      ),
    ],
  };
}

export const lineEntry = (
  { programId, currency }: PayoutRow,
  { id, partnerId }: Pick<UnpaidLine, "id" | "partnerId">,
  entry: Pick<EntryRow, "kind" | "amountCents" | "occurredAt" | "day">,
  context: Context,
): EntryRow => ({
  ...{ ...entry, id: context.newId("ledgerEntries"), programId, isTest: false, currency, partnerId },
  ...{ commissionId: null, refundId: null, adjustmentId: null, payoutLineId: id, createdAt: context.postingAt() },
});
