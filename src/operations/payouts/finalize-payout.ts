import type { Settler } from "#domain/payout-status.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { saveLines } from "#store/payout-lines.ts";
import { insertRanges } from "#store/payout-ranges.ts";
import { type PayoutRow, payoutById, savePayout } from "#store/payouts.ts";
import { programById } from "#store/programs.ts";
import { unacknowledgedRestore } from "#store/restores.ts";
import type { Write } from "#store/statement.ts";
import { payoutLock } from "../locks.ts";
import { isArchived } from "../manage/settings-change.ts";
import { type Context, type Gathered, type Missing, type Operation, refuse, retryWith } from "../operation.ts";
import { type AcknowledgingCall, acknowledging } from "./after-restore.ts";
import { trailOfLines } from "./evidence.ts";
import { type FoundCandidates, linesOf, readCandidates, rowsOfCandidates } from "./lines.ts";
import { auditOfPayout, changedPayout, type PayoutAnswer, unchanged } from "./payout.ts";

/** Finalizes a draft, as a separate call or as part of its confirmation. */
export interface FinalizingCall extends AcknowledgingCall {
  readonly expectedTotalCents: number | null;
  /**
   * Pays partners whose payment details last changed at or before this instant (ms). 0 skips all partners with changed
   * details.
   */
  readonly includesChangedUntil: number;
}

export interface FinalizePayoutCall extends FinalizingCall {
  readonly kind: "finalize-payout";
  /** Null keeps the draft's value. */
  readonly settledBy: Settler | null;
}

export interface MoreOfDraft {
  /** The terms of the draft, by which its candidates are read. */
  readonly draft: Pick<PayoutRow, "currency" | "partnerIds" | "cut">;
}

/** Reads the draft's candidates, once the draft itself has been read. */
export const candidatesOfDraft = ({ payoutId, programId }: FinalizingCall, { draft }: Partial<MoreOfDraft>) =>
  draft && readCandidates({ ...draft, programId }, { payoutId });

function gather(call: FinalizePayoutCall, more: Partial<MoreOfDraft>) {
  const { programId, payoutId } = call;
  return {
    program: programById({ id: programId }),
    payout: payoutById({ programId, id: payoutId }),
    restored: unacknowledgedRestore({ programId, payoutId }),
    candidates: candidatesOfDraft(call, more),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

export const finalizePayout: Operation<FinalizePayoutCall, ReturnType<typeof gather>, PayoutAnswer, MoreOfDraft> = {
  kind: "finalize-payout",
  isEssential: true,
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, { program, payout, restored, candidates }, context) {
    if (program === undefined || payout === undefined) return refuse(notFound("payout"));
    if (payout.status === "canceled") {
      return refuse({ code: "payout_closed", status: payout.status, action: "finalized" });
    }
    const settledBy = call.settledBy ?? payout.settledBy;
    if (payout.status !== "draft") {
      if (settledBy !== payout.settledBy) {
        return refuse({ code: "differs", of: "payout", differences: ["settledBy"] });
      }
      return differsFrom(payout, call.expectedTotalCents)
        ? refuse({ code: "total_differs", changes: [] })
        : unchanged(payout);
    }
    if (settledBy === "api" && isArchived(context.settings, call.programId)) {
      return refuse({ code: "program_archived" });
    }
    if (candidates === undefined) return retryWith(candidatesNeeded(payout));
    const dueAt = settledBy === "api" && program.payoutApproval === "one_person" ? call.at : null;
    const draft = { ...payout, settledBy, dueAt };
    const finalized = finalizeDraft(call, { payout: draft, restored, candidates }, context);
    return finalized.ok ? changedPayout(finalized.value.payout, finalized.value.writes) : refuse(finalized.refusal);
  },
};

export const candidatesNeeded = (draft: PayoutRow): Missing<MoreOfDraft> => ({ draft, rows: rowsOfCandidates });

export const differsFrom = ({ totalCents }: PayoutRow, expectedCents: number | null): boolean =>
  expectedCents !== null && expectedCents !== totalCents;

interface FoundDraft extends Pick<Found, "restored"> {
  readonly payout: PayoutRow;
  readonly candidates: FoundCandidates;
}

interface Finalized {
  readonly payout: PayoutRow;
  readonly writes: readonly Write[];
}

/** Computes the lines up to the draft's cutoff again, and moves their amounts from payable to in payout. */
export function finalizeDraft(
  call: FinalizingCall,
  { payout: draft, restored, candidates }: FoundDraft,
  context: Context,
): Result<Finalized> {
  const acknowledged = acknowledging(call, draft, restored, context);
  if (!acknowledged.ok) return acknowledged;
  const { actorId, at, includesChangedUntil } = call;
  const { lines, changes, totalCents, lineCount } = linesOf(
    draft,
    candidates.rows,
    { isFinal: true, includesChangedUntil, at },
    context,
  );
  if (lineCount === 0) {
    const reasons = [...new Set(lines.flatMap(({ reason }) => reason ?? []))];
    return refused({ code: "all_left_out", reasons, changes });
  }
  if (differsFrom({ ...draft, totalCents }, call.expectedTotalCents)) {
    return refused({ code: "total_differs", changes });
  }
  const payout: PayoutRow = {
    ...draft,
    status: "final",
    totalCents,
    lineCount,
    finalizedAt: at,
    finalizedBy: actorId,
    finalizedNumber: context.newId("ledgerEntries"),
  };
  const { id: payoutId, programId, currency, cut, settledBy } = payout;
  const after = { status: "final", settledBy, totalCents, lines: lineCount, ...trailOfLines(lines) };
  const change = { action: "payout.finalized", before: { status: "draft" }, after };
  return ok({
    payout,
    writes: [
      ...acknowledged.value,
      ...saveLines(lines),
      savePayout(payout),
      insertRanges({ programId, currency, payoutId, cut }),
      auditOfPayout(call, payout, change, context),
    ],
  });
}
