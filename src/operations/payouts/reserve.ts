import { clamped, takeStep, whyLeftOut } from "../../domain/payout.ts";
import {
  type LineRow,
  linesToReserve,
  reserveCommissions,
  saveLine,
  type TakeableAdjustment,
  type TakeableCommission,
  takeAdjustments,
  takeableAdjustments,
  takeableCommissions,
  takeEntries,
} from "../../store/payout-lines.ts";
import type { PayoutRow } from "../../store/payouts.ts";
import type { Write } from "../../store/statement.ts";
import { transactionLock } from "../attribution/resolve-customer.ts";
import type { Gathered } from "../operation.ts";

const linesPerStep = 100;
const itemsPerStep = { maxRows: 250, maxEntries: 500 };

export function readTakeable({ id: payoutId, until }: Pick<PayoutRow, "id" | "until">) {
  const limit = itemsPerStep.maxRows + 1;
  return {
    lines: linesToReserve({ payoutId, limit: linesPerStep + 1 }),
    commissions: takeableCommissions({ payoutId, until, limit }),
    adjustments: takeableAdjustments({ payoutId, until, limit }),
  };
}
type Takeable = Gathered<ReturnType<typeof readTakeable>>;

/** A refund that is decided meanwhile would take the commission for one that isn't reserved. */
export const locksOfTakeable = (programId: number, { commissions }: Takeable): readonly string[] =>
  commissions.map(({ transactionId }) => transactionLock({ programId, isTest: false }, transactionId));

interface ReservedLine {
  readonly line: LineRow;
  readonly commissions: readonly TakeableCommission[];
  readonly adjustments: readonly TakeableAdjustment[];
  readonly isComplete: boolean;
}

export interface Reserved {
  readonly payout: PayoutRow;
  readonly writes: readonly Write[];
  readonly isLast: boolean;
}

/** Takes entries for the next lines. A line that has all of its entries is live, or dropped if they come to too little. */
export function reserveStep(payout: PayoutRow, found: Takeable): Reserved {
  const { minimumCents } = payout;
  let { totalCents } = payout;
  const lines = reservedLines(found).map((reserved) => {
    const after = lineAfter(reserved, { minimumCents, totalCents });
    if (after.state === "live") totalCents += after.amountCents;
    return { ...reserved, after };
  });
  // A line that comes to too little at once takes nothing.
  const taking = lines.filter(({ after }) => after.state !== "skipped");
  const commissions = taking.flatMap((line) => line.commissions);
  const adjustments = taking.flatMap((line) => line.adjustments);
  const reserved = commissions.filter(({ isApproved, heldBy }) => isApproved && heldBy === null);
  const live = lines.filter(({ after }) => after.state === "live");
  const isDropping = lines.some(({ after }) => after.state === "dropped");
  return {
    payout: {
      ...payout,
      totalCents,
      lineCount: payout.lineCount + live.length,
    },
    writes: [
      ...(commissions.length > 0 ? [takeEntries(pairsOf(commissions))] : []),
      ...(adjustments.length > 0 ? [takeAdjustments(pairsOf(adjustments))] : []),
      ...(reserved.length > 0 ? [reserveCommissions(pairsOf(reserved))] : []),
      ...lines.map(({ after }) => saveLine(after)),
    ],
    isLast: !isDropping && lines.length === found.lines.length && lines.every(({ isComplete }) => isComplete),
  };
}

const pairsOf = (items: readonly { readonly lineId: number; readonly id: number }[]) => ({
  pairs: JSON.stringify(items.map(({ lineId, id }) => [lineId, id])),
});

/** The lines of this step: all complete ones, and one that a later step completes. */
function reservedLines({ lines, commissions, adjustments }: Takeable): readonly ReservedLine[] {
  const ofCommissions = takeStep(commissions, itemsPerStep);
  const ofAdjustments = takeStep(adjustments, itemsPerStep);
  const completeBelow = Math.min(ofCommissions.completeBelow, ofAdjustments.completeBelow);
  return lines
    .slice(0, linesPerStep)
    .filter(({ id }) => id <= completeBelow)
    .map((line) => ({
      line,
      commissions: ofCommissions.taken.filter(({ lineId }) => lineId === line.id),
      adjustments: ofAdjustments.taken.filter(({ lineId }) => lineId === line.id),
      isComplete: line.id < completeBelow,
    }));
}

function lineAfter(
  { line, commissions, adjustments, isComplete }: ReservedLine,
  terms: Pick<PayoutRow, "minimumCents" | "totalCents">,
): Pick<LineRow, "id" | "state" | "reason" | "amountCents" | "commissions"> {
  const { id, heldCents, heldEntries } = line;
  const isBegun = heldEntries > 0;
  const counted = commissions.reduce(
    (count, { inLineCents, cents }) => count + Number(inLineCents + cents !== 0) - Number(inLineCents !== 0),
    isBegun ? line.commissions : 0,
  );
  if (!isComplete) {
    return { id, state: "reserving", reason: null, amountCents: line.amountCents, commissions: counted };
  }
  const amountCents = clamped([...commissions, ...adjustments].reduce((sum, { cents }) => sum + cents, heldCents));
  const reason = whyLeftOut(amountCents, terms);
  if (reason === undefined) return { id, state: "live", reason: null, amountCents, commissions: counted };
  return { id, state: isBegun ? "dropped" : "skipped", reason, amountCents, commissions: counted };
}
