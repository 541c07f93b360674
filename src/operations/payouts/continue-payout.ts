import { linesToReturn, returnLines } from "../../store/payout-lines.ts";
import { type PayoutRow, payoutById, savePayout, type UnfinishedPayout } from "../../store/payouts.ts";
import { programById } from "../../store/programs.ts";
import type { Write } from "../../store/statement.ts";
import type { Call, Commit, Context, Gathered, Operation } from "../operation.ts";
import { composeLines, readCandidates, removePayout } from "./compose.ts";
import { markConfirmed } from "./confirm-payout.ts";
import { freeStep, isLastFreed, locksOfFreeable, readFreeable } from "./free.ts";
import { payLines, readUnpaid } from "./pay.ts";
import { auditOfPayout, payoutLock } from "./payout.ts";
import { locksOfTakeable, readTakeable, reserveStep } from "./reserve.ts";

const returnedPerStep = 500;

/** The Ledger itself makes this call, without a credential. */
export interface ContinuePayoutCall extends Call {
  readonly kind: "continue-payout";
  readonly programId: number;
  /** As it was read. If it has changed, the step does nothing. */
  readonly payout: UnfinishedPayout;
}

export interface PayoutStep {
  /** Undefined: the draft had no lines, and is removed. */
  readonly payout: UnfinishedPayout | undefined;
}

function gather({ programId, payout }: ContinuePayoutCall) {
  const { id: payoutId, phase } = payout;
  const isReserving = phase === "reserving";
  return {
    payout: payoutById({ programId, id: payoutId }),
    program: isReserving ? programById({ id: programId }) : undefined,
    candidates: phase === "composing" ? readCandidates(payout, payout.cursorPartnerId, payoutId) : undefined,
    freeable: isReserving || phase === "returning" || phase === "freeing" ? readFreeable(payout) : undefined,
    ...(isReserving ? readTakeable(payout) : {}),
    ...(phase === "paying" ? readUnpaid(payoutId) : {}),
    returning: phase === "returning" ? linesToReturn({ payoutId, limit: returnedPerStep + 1 }) : undefined,
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

export const continuePayout: Operation<ContinuePayoutCall, ReturnType<typeof gather>, PayoutStep> = {
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,

  locks({ programId }, found) {
    const takeable = takeableOf(found);
    return {
      exclusive: [
        payoutLock(programId),
        ...locksOfFreeable(programId, found.freeable ?? []),
        ...(takeable === undefined ? [] : locksOfTakeable(programId, takeable)),
      ],
    };
  },

  decide(call, found, context) {
    const { payout } = found;
    const { programId } = call;
    const isKnown =
      payout?.phase === call.payout.phase &&
      payout.status === call.payout.status &&
      payout.cursorPartnerId === call.payout.cursorPartnerId;
    if (payout === undefined || payout.phase === null || !isKnown) {
      return { kind: "commit", programId, answer: { payout }, writes: [] };
    }
    const { payout: after, writes } = stepOf(call, payout, found, context);
    return commitStep(call, after, writes);
  },
};

function commitStep(
  { programId, at }: ContinuePayoutCall,
  payout: PayoutRow | undefined,
  writes: readonly Write[],
): Commit<PayoutStep> {
  return {
    kind: "commit",
    programId,
    answer: { payout },
    writes: payout === undefined ? writes : [...writes, savePayout(payout)],
    ...(payout?.phase ? { holdUntil: at } : {}),
  };
}

interface Step {
  readonly payout: PayoutRow | undefined;
  readonly writes: readonly Write[];
}

function stepOf(call: ContinuePayoutCall, payout: PayoutRow, found: Found, context: Context): Step {
  const program = context.settings.program(call.programId);
  switch (payout.phase) {
    case "composing":
      return compose(call, payout, found, context);
    case "reserving":
      return reserve(call, payout, found, context);
    case "returning":
      return returnToDraft(call, payout, found, context);
    case "paying": {
      const { unpaidLines = [], unpaidCommissions = [] } = found;
      return payLines(payout, { unpaidLines, unpaidCommissions }, program?.timezone ?? "UTC", context);
    }
    default: {
      const freeable = found.freeable ?? [];
      return { payout: isLastFreed(freeable) ? { ...payout, phase: null } : payout, writes: freeStep(freeable) };
    }
  }
}

const takeableOf = ({ lines, commissions, adjustments }: Found) =>
  lines && commissions && adjustments ? { lines, commissions, adjustments } : undefined;

const isUnexpected = ({ expectedTotalCents, totalCents, lineCount }: PayoutRow): boolean =>
  lineCount === 0 || (expectedTotalCents !== null && expectedTotalCents !== totalCents);

function compose({ at }: ContinuePayoutCall, before: PayoutRow, { candidates = [] }: Found, context: Context): Step {
  const { payout, writes, isLast } = composeLines(before, candidates, at, context);
  if (!isLast) return { payout, writes };
  if (payout.status === "draft") {
    if (payout.lineCount > 0) return { payout: { ...payout, phase: null }, writes };
    const operationId = `payout ${payout.id} removed ${context.newId("auditEntries")}`;
    const call = { operationId, actorId: payout.createdBy, at };
    const change = { action: "payout.removed", before: { status: "draft" }, after: { reason: "nothing_payable" } };
    return { payout: undefined, writes: [...removePayout(payout), auditOfPayout(call, payout, change, context)] };
  }
  if (isUnexpected(payout)) return { payout: { ...payout, phase: "returning" }, writes };
  return { payout: { ...payout, phase: "reserving", totalCents: 0, lineCount: 0 }, writes };
}

/** Frees what dropped lines hold before other lines take their entries. */
function reserve(call: ContinuePayoutCall, before: PayoutRow, found: Found, context: Context): Step {
  const takeable = takeableOf(found);
  const freeable = found.freeable ?? [];
  if (takeable === undefined || freeable.length > 0) return { payout: before, writes: freeStep(freeable) };
  const { payout, writes, isLast } = reserveStep(before, takeable);
  if (!isLast) return { payout, writes };
  if (isUnexpected(payout)) return { payout: { ...payout, phase: "returning" }, writes };
  const needsOther = found.program?.payoutApproval === "two_people" && payout.confirmedBy === payout.finalizedBy;
  const finished = finish(call, needsOther ? { ...payout, ...unconfirmed } : payout, context);
  return { payout: finished.payout, writes: [...writes, ...finished.writes] };
}

/** Of a draft whose confirmation was requested before two people had to take part. */
const unconfirmed = { confirmedBy: null, paidAt: null, note: null } as const;

function finish({ at }: ContinuePayoutCall, payout: PayoutRow, context: Context) {
  const { id, finalizedBy, confirmedBy, totalCents, lineCount: lines } = payout;
  const by = (what: string, actorId: string | null) => ({
    operationId: `payout ${id} ${what}`,
    actorId: actorId ?? payout.createdBy,
    at,
  });
  const final = { ...payout, status: "final", phase: null } as const;
  const change = {
    action: "payout.finalized",
    before: { status: "draft" },
    after: { status: "final", totalCents, lines },
  };
  const audit = auditOfPayout(by("finalized", finalizedBy), payout, change, context);
  if (confirmedBy === null) return { payout: final, writes: [audit] };
  const { confirmed, writes } = markConfirmed(by("confirmed", confirmedBy), final, context);
  return { payout: confirmed, writes: [audit, ...writes] };
}

/** The lines stay as they were computed, so that the draft shows what has changed. */
function returnToDraft({ at }: ContinuePayoutCall, payout: PayoutRow, found: Found, context: Context): Step {
  const { freeable = [], returning = [] } = found;
  if (freeable.length > 0) return { payout, writes: freeStep(freeable) };
  const ids = returning.slice(0, returnedPerStep).map(({ id }) => id);
  const writes = ids.length > 0 ? [returnLines({ ids: JSON.stringify(ids) })] : [];
  if (returning.length > returnedPerStep) return { payout, writes };
  const { id, finalizedBy, expectedTotalCents, totalCents } = payout;
  // A payout may return several times, and a clock may show an instant twice.
  const operationId = `payout ${id} returned ${context.newId("auditEntries")}`;
  const call = { operationId, actorId: finalizedBy ?? payout.createdBy, at };
  const change = { action: "payout.returned", before: { expectedTotalCents }, after: { status: "draft", totalCents } };
  const draft: PayoutRow = {
    ...payout,
    ...{ status: "draft", phase: null, expectedTotalCents: null, includesChangedUntil: 0, paidAt: null, note: null },
    ...{ finalizedAt: null, finalizedBy: null, confirmedBy: null },
  };
  return { payout: draft, writes: [...writes, auditOfPayout(call, payout, change, context)] };
}
