import { clamped, isEmailChanged, proposeLine } from "../../domain/payout.ts";
import {
  type CandidateRow,
  deleteLines,
  type LineRow,
  payoutCandidates,
  saveProposal,
} from "../../store/payout-lines.ts";
import { deletePayout, type PayoutRow } from "../../store/payouts.ts";
import type { Write } from "../../store/statement.ts";
import type { Context } from "../operation.ts";

const partnersPerStep = 100;

type Terms = Pick<PayoutRow, "programId" | "currency" | "until" | "partnerIds">;

/** One more than a step has, to know whether it is the last. */
export const readCandidates = (terms: Terms, after: number, payoutId: number | null) =>
  payoutCandidates({ ...terms, after, payoutId, limit: partnersPerStep + 1 });

export interface Composed {
  readonly payout: PayoutRow;
  readonly writes: readonly Write[];
  readonly isLast: boolean;
}

export function composeLines(
  payout: PayoutRow,
  candidates: readonly CandidateRow[],
  at: number,
  context: Context,
): Composed {
  const isFinal = payout.status === "finalizing";
  const { minimumCents, includesChangedUntil, partnerIds } = payout;
  const named = partnerIds === null ? undefined : new Set(JSON.parse(partnerIds) as number[]);
  const terms = { minimumCents, partnerIds: named, includesChangedUntil, isFinal, at };
  let { totalCents } = payout;
  const step = candidates.slice(0, partnersPerStep);
  const lines = step.flatMap((candidate): LineRow[] => {
    const amountCents = clamped(candidate.commissionCents + candidate.adjustmentCents);
    const proposal = proposeLine({ ...candidate, payableCents: amountCents }, { ...terms, totalCents });
    if (proposal === undefined) return [];
    if (proposal.state === "proposed") totalCents += amountCents;
    const isTaken = proposal.state === "proposed" && isFinal;
    return [
      {
        ...{ id: context.newId("payoutLines"), programId: payout.programId, payoutId: payout.id },
        ...{ partnerId: candidate.partnerId, currency: payout.currency, name: candidate.name },
        ...{ state: isTaken ? "reserving" : proposal.state, reason: proposal.reason },
        email: isFinal ? candidate.email : null,
        emailChangedAt: isEmailChanged(candidate, at) ? candidate.emailChangedAt : null,
        beforeCents: isFinal ? 0 : null,
        ...{ amountCents, commissions: candidate.commissions },
        ...{ heldCents: 0, heldEntries: 0, isPosted: false, failedAt: null, failedBy: null, failure: null },
      },
    ];
  });
  const due = lines.filter(({ reason }) => reason === null);
  return {
    payout: {
      ...payout,
      cursorPartnerId: step.at(-1)?.partnerId ?? payout.cursorPartnerId,
      totalCents,
      lineCount: payout.lineCount + due.length,
    },
    writes: lines.map((line) => saveProposal(line)),
    isLast: candidates.length <= partnersPerStep,
  };
}

export const removePayout = ({ id }: PayoutRow): readonly Write[] => [
  deleteLines({ payoutId: id }),
  deletePayout({ id }),
];
