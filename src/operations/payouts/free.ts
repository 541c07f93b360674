import { statusOnceFreed } from "../../domain/payout.ts";
import type { LineState } from "../../domain/payout-status.ts";
import {
  type FreeableEntry,
  freeAdjustments,
  freeableEntries,
  freeCommissions,
  freeEntries,
} from "../../store/payout-lines.ts";
import type { UnfinishedPayout } from "../../store/payouts.ts";
import type { Write } from "../../store/statement.ts";
import { transactionLock } from "../attribution/resolve-customer.ts";

const entriesPerStep = 250;

/** The states of the lines whose entries are to be free. */
function deadStates({ status, phase }: UnfinishedPayout): readonly LineState[] {
  if (phase === "reserving") return ["dropped"];
  return status === "paid" ? ["failed"] : ["reserving", "live", "dropped"];
}

export const readFreeable = (payout: UnfinishedPayout) =>
  freeableEntries({ payoutId: payout.id, states: JSON.stringify(deadStates(payout)), limit: entriesPerStep });

/** All entries of a commission are freed together, even those that this read didn't reach. */
export const isLastFreed = (freeable: readonly FreeableEntry[]): boolean => freeable.length < entriesPerStep;

/** A refund that is decided meanwhile would take the commission for a reserved one. */
export const locksOfFreeable = (programId: number, freeable: readonly FreeableEntry[]): readonly string[] =>
  freeable.flatMap(({ transactionId }) =>
    transactionId === null ? [] : [transactionLock({ programId, isTest: false }, transactionId)],
  );

export function freeStep(freeable: readonly FreeableEntry[]): readonly Write[] {
  const ofCommissions = new Map<string, FreeableEntry>();
  const adjustments: number[] = [];
  for (const entry of freeable) {
    if (entry.commissionId === null) adjustments.push(entry.entryId);
    else ofCommissions.set(`${entry.lineId} ${entry.commissionId}`, entry);
  }
  const commissions = [...ofCommissions.values()];
  const pairs = commissions.map(({ lineId, commissionId }) => [lineId, commissionId]);
  const freed = commissions
    .filter(({ heldBy, lineId }) => heldBy === lineId)
    .map(({ commissionId, isSaleRefunded }) => [commissionId, statusOnceFreed(isSaleRefunded)]);
  return [
    ...(adjustments.length > 0 ? [freeAdjustments({ entryIds: JSON.stringify(adjustments) })] : []),
    ...(pairs.length > 0 ? [freeEntries({ pairs: JSON.stringify(pairs) })] : []),
    ...(freed.length > 0 ? [freeCommissions({ freed: JSON.stringify(freed) })] : []),
  ];
}
