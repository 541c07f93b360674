import type { PartnerId, PayoutId } from "#domain/ids.ts";
import { clamped } from "#domain/money.ts";
import {
  type Candidate,
  isDetailsChanged,
  type LineChange,
  lineCents,
  lineChange,
  proposeLines,
} from "#domain/payout.ts";
import { type CandidateRow, type LineRow, payoutCandidates } from "#store/payout-lines.ts";
import type { PayoutRow } from "#store/payouts.ts";
import type { Read } from "#store/statement.ts";
import type { Context } from "../operation.ts";
import { evidenceOf } from "./evidence.ts";

/**
 * The number of rows assumed for a read of candidates. It is so high that a round computes the lines of one program
 * only.
 */
export const rowsOfCandidates = 2_001;

export interface FoundCandidates {
  readonly cut: number;
  readonly rows: readonly CandidateRow[];
}

type OfPayout = Pick<PayoutRow, "programId" | "currency" | "partnerIds" | "cut">;

/** Reads the partners that a payout may pay. A new payout has `leastCents`, its minimum. A draft has `payoutId`. */
export function readCandidates(
  { programId, currency, partnerIds, cut }: OfPayout,
  of: { readonly leastCents: number } | { readonly payoutId: PayoutId },
): Read<FoundCandidates> {
  const newOrDraft = { payoutId: null, leastCents: null, ...of };
  const { decode, ...read } = payoutCandidates({ programId, currency, partnerIds, cut, ...newOrDraft });
  return { ...read, decode: (rows) => ({ cut, rows: decode(rows) }) };
}

export const partnersNamed = (partnerIds: string | null): readonly PartnerId[] | null =>
  partnerIds === null ? null : (JSON.parse(partnerIds) as PartnerId[]);

type Terms = Pick<PayoutRow, "id" | "programId" | "currency" | "minimumCents" | "partnerIds" | "settledBy">;

interface Finalizing {
  readonly isFinal: boolean;
  readonly includesChangedUntil: number;
  readonly at: number;
}

export interface PayoutLines {
  readonly lines: readonly LineRow[];
  readonly changes: readonly LineChange[];
  readonly totalCents: number;
  readonly lineCount: number;
}

/** Computes the lines of a draft, or of a payout that is being finalized, in the order of partner ids. */
export function linesOf(
  payout: Terms,
  rows: readonly CandidateRow[],
  { isFinal, includesChangedUntil, at }: Finalizing,
  context: Context,
): PayoutLines {
  const named = partnersNamed(payout.partnerIds);
  const terms = {
    minimumCents: payout.minimumCents,
    partnerIds: named === null ? undefined : new Set(named),
    isByApi: payout.settledBy === "api",
    includesChangedUntil,
    isFinal,
    at,
  };
  const proposed = proposeLines(rows.map(candidateOf), terms);
  const lines: LineRow[] = [];
  const changes: LineChange[] = [];
  for (const { candidate, reason } of proposed) {
    const line = lineRow(payout, candidate, { isFinal, at }, context);
    const state = reason !== null ? "skipped" : isFinal ? "live" : "proposed";
    const unsealed = { ...line, state, reason } as const;
    const decided = { ...unsealed, ...evidenceOf(unsealed, context) };
    const change = lineChange({ ...decided, partnerCode: candidate.partnerCode });
    if (change !== undefined) changes.push(change);
    lines.push(decided);
  }
  const paid = lines.filter(({ reason }) => reason === null);
  return {
    lines,
    changes,
    totalCents: paid.reduce((sum, { amountCents }) => sum + amountCents, 0),
    lineCount: paid.length,
  };
}

type PartnerCandidate = CandidateRow & Candidate;

const candidateOf = (row: CandidateRow): PartnerCandidate => ({
  ...row,
  amountCents: lineCents(row),
  hasLine: row.lineId !== null,
});

function lineRow(
  { id: payoutId, programId, currency }: Terms,
  candidate: PartnerCandidate,
  { isFinal, at }: Pick<Finalizing, "isFinal" | "at">,
  context: Context,
): Omit<LineRow, "state" | "reason" | "evidence" | "evidenceSalt"> {
  const { lineState, lineCents: proposedCents } = candidate;
  return {
    id: candidate.lineId ?? context.newId("payoutLines"),
    programId,
    payoutId,
    partnerId: candidate.partnerId,
    currency,
    name: candidate.name,
    email: isFinal ? candidate.email : null,
    externalId: isFinal ? candidate.externalId : null,
    paymentId: isFinal ? candidate.paymentId : null,
    detailsChangedAt: isDetailsChanged(candidate, at) ? candidate.detailsChangedAt : null,
    beforeCents: isFinal ? ((lineState === "proposed" ? proposedCents : null) ?? 0) : null,
    amountCents: clamped(candidate.amountCents),
    commissions: candidate.commissions,
    commissionsCents: clamped(candidate.commissionsCents),
    adjustmentsCents: clamped(candidate.adjustmentsCents),
    failedAt: null,
    failedBy: null,
    failureId: null,
    partnerNoteId: null,
    settledAt: null,
    settlementId: null,
    lateSettledAt: null,
    lateSettlementId: null,
    givenBackNumber: null,
    statementNumber: null,
    statementMailedAt: null,
  };
}
