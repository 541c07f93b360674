import { isPlaceholderId } from "#domain/caller-id.ts";
import type { PartnerId } from "#domain/ids.ts";
import { skippedOf } from "#domain/line-evidence.ts";
import { minimumPayout } from "#domain/payout.ts";
import type { Settler } from "#domain/payout-status.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound } from "#domain/result.ts";
import { saveLines } from "#store/payout-lines.ts";
import { cutAt } from "#store/payout-ranges.ts";
import {
  insertPayout,
  knownPartners,
  openDraft,
  type PayoutRow,
  payoutByReference,
  payoutOfOperation,
} from "#store/payouts.ts";
import { programById } from "#store/programs.ts";
import { payoutLock } from "../locks.ts";
import { type ChangeCall, isArchived, noChange } from "../manage/settings-change.ts";
import { type Context, type Decision, type Gathered, type Operation, refuse, retryWith } from "../operation.ts";
import {
  type FoundCandidates,
  linesOf,
  type PayoutLines,
  partnersNamed,
  readCandidates,
  rowsOfCandidates,
} from "./lines.ts";
import { auditOfPayout, type PayoutAnswer } from "./payout.ts";

export interface CreatePayoutCall extends ChangeCall {
  readonly kind: "create-payout";
  readonly currency: string;
  /** Includes what became payable up to this instant (ms). Null for everything that is payable now. */
  readonly until: number | null;
  readonly minimumCents: number | null;
  readonly partnerIds: readonly PartnerId[] | null;
  readonly reference: string | null;
  /** Null for the default: `person`, or the value of an existing payout with the same reference. */
  readonly settledBy: Settler | null;
}

export interface PayoutCreated extends PayoutAnswer {
  readonly isNew: boolean;
}

interface More {
  /**
   * Reads candidates up to this cutoff. None are read unless the payable amount of at least one partner reaches
   * `leastCents`.
   */
  readonly newPayout: { readonly cut: number; readonly leastCents: number };
}

function gather(call: CreatePayoutCall, { newPayout }: Partial<More>) {
  const { operationId, programId, currency, until, reference } = call;
  const partnerIds = partnersOf(call);
  return {
    done: payoutOfOperation({ operationId }),
    program: programById({ id: programId }),
    named: payoutByReference({ programId, reference }),
    draft: openDraft({ programId, currency }),
    known: partnerIds === null ? undefined : knownPartners({ programId, partnerIds }),
    newest: newPayout === undefined ? cutAt({ programId, currency, until }) : undefined,
    candidates: newPayout && readCandidates({ programId, currency, partnerIds, cut: newPayout.cut }, newPayout),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

const partnersOf = ({ partnerIds }: CreatePayoutCall): string | null =>
  partnerIds === null ? null : JSON.stringify([...new Set(partnerIds)].sort((a, b) => a - b));

export const createPayout: Operation<CreatePayoutCall, ReturnType<typeof gather>, PayoutCreated, More> = {
  kind: "create-payout",
  isEssential: true,
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, found, context) {
    const { program, candidates } = found;
    if (program === undefined) return refuse(notFound("program"));
    const existing = existingPayout(call, found);
    if (existing !== undefined) return existing;
    if (call.settledBy === "api" && isArchived(context.settings, call.programId)) {
      return refuse({ code: "program_archived" });
    }
    if (isPlaceholderId(call.reference ?? "")) return refuse({ code: "placeholder_id", field: "reference" });
    const minimumCents = call.minimumCents ?? minimumPayout(program, call.currency);
    if (candidates === undefined) {
      const newPayout = { cut: found.newest?.cut ?? 0, leastCents: minimumCents };
      return retryWith({ newPayout, rows: rowsOfCandidates });
    }
    const terms = {
      id: context.newId("payouts"),
      programId: call.programId,
      currency: call.currency,
      minimumCents,
      partnerIds: partnersOf(call),
      settledBy: call.settledBy ?? ("person" as const),
    };
    const proposal = { isFinal: false, includesChangedUntil: 0, at: call.at };
    const lines = linesOf(terms, candidates.rows, proposal, context);
    if (lines.lineCount === 0) return refuse(whyNothing(lines, candidates.rows));
    return commitDraft(call, { ...proposedPayout(call, lines), ...terms, cut: candidates.cut }, lines, context);
  },
};

/**
 * The reason why a payout would have no lines. An amount above the limits is payable but doesn't fit into one payout,
 * so the refusal lists it. Other candidates are below the minimum or can't be paid.
 */
function whyNothing({ lines }: PayoutLines, candidates: FoundCandidates["rows"]): Refusal {
  const over = new Set(lines.flatMap(({ partnerId, reason }) => (reason === "over_limit" ? [partnerId] : [])));
  if (over.size === 0) return { code: "nothing_payable" };
  const reason = "over_limit";
  const changes = candidates
    .filter(({ partnerId }) => over.has(partnerId))
    .map(
      ({ partnerId, partnerCode, name }) =>
        ({ partnerId, partnerCode, name, beforeCents: 0, afterCents: 0, reason }) as const,
    );
  return { code: "all_left_out", reasons: [reason], changes };
}

const proposedPayout = (call: CreatePayoutCall, { totalCents, lineCount }: PayoutLines) => ({
  // Not made from the payout's id: that is predictable, so a member could already have used it as a reference.
  reference: call.reference ?? `payout-${call.operationId.slice(0, 8)}`,
  status: "draft" as const,
  until: call.until ?? call.at,
  totalCents,
  lineCount,
  settledCents: 0,
  givenBackCents: 0,
  returnedCents: 0,
  dueAt: null,
  paidAt: null,
  noteId: null,
  createdAt: call.at,
  createdBy: call.actorId,
  finalizedAt: null,
  finalizedBy: null,
  finalizedNumber: null,
  confirmedAt: null,
  confirmedBy: null,
  canceledAt: null,
  canceledBy: null,
  canceledNumber: null,
});

function commitDraft(
  call: CreatePayoutCall,
  payout: PayoutRow,
  { lines }: PayoutLines,
  context: Context,
): Decision<PayoutCreated> {
  const { id: payoutId, programId, currency, reference, until, minimumCents, settledBy } = payout;
  const named = partnersNamed(payout.partnerIds);
  const proposal = { totalCents: payout.totalCents, skipped: skippedOf(lines) };
  const after = { payoutId, currency, reference, until, minimumCents, partnerIds: named, settledBy, ...proposal };
  const change = { action: "payout.created", before: null, after };
  return {
    kind: "commit",
    programId,
    answer: { payout, isNew: true },
    writes: [insertPayout(payout), ...saveLines(lines), auditOfPayout(call, payout, change, context)],
  };
}

/** The payout that the call created before, or that prevents a new one. Undefined if a new one may be created. */
function existingPayout(call: CreatePayoutCall, found: Found): Decision<PayoutCreated> | undefined {
  const { done, named, draft, known } = found;
  if (done !== undefined) return repeated(done, true);
  if (named !== undefined) return sameReference(call, named);
  if (draft !== undefined) {
    return refuse({ code: "draft_exists", payoutId: draft.id, reference: draft.reference });
  }
  if (known !== undefined && known !== new Set(call.partnerIds).size) {
    const message = "partnerIds must be ids of partners of the program";
    return refuse({ code: "invalid_input", errors: [{ path: ["partnerIds"], message }] });
  }
  return undefined;
}

const repeated = (payout: PayoutRow, isNew: boolean) => noChange(payout.programId, { payout, isNew });

function sameReference(call: CreatePayoutCall, payout: PayoutRow): Decision<PayoutCreated> {
  if (payout.status === "canceled") return refuse({ code: "reference_canceled" });
  const differences = [
    ...(payout.currency === call.currency ? [] : ["currency"]),
    ...(payout.partnerIds === partnersOf(call) ? [] : ["partnerIds"]),
    ...((call.settledBy ?? payout.settledBy) === payout.settledBy ? [] : ["settledBy"]),
    ...((call.minimumCents ?? payout.minimumCents) === payout.minimumCents ? [] : ["minimumCents"]),
  ];
  return differences.length > 0 ? refuse({ code: "payout_conflict", differences }) : repeated(payout, false);
}
