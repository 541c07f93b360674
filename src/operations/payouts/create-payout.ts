import {
  insertPayout,
  knownPartners,
  openDraft,
  type PayoutRow,
  payoutByReference,
  payoutOfOperation,
} from "../../store/payouts.ts";
import { programById } from "../../store/programs.ts";
import { type ChangeCall, noChange } from "../manage/settings-change.ts";
import { type Decision, type Gathered, type Operation, refuse } from "../operation.ts";
import { composeLines, readCandidates } from "./compose.ts";
import { auditOfPayout, type PayoutAnswer, payoutLock } from "./payout.ts";

export interface CreatePayoutCall extends ChangeCall {
  readonly kind: "create-payout";
  readonly currency: string;
  /** Milliseconds, not later than the call. */
  readonly until: number;
  readonly minimumCents: number | undefined;
  readonly partnerIds: readonly number[] | undefined;
  readonly reference: string | undefined;
}

export interface PayoutCreated extends PayoutAnswer {
  readonly isNew: boolean;
}

function gather(call: CreatePayoutCall) {
  const { operationId, programId, currency, until, reference } = call;
  const partnerIds = partnersOf(call);
  return {
    done: payoutOfOperation({ operationId }),
    program: programById({ id: programId }),
    named: payoutByReference({ programId, reference: reference ?? null }),
    draft: openDraft({ programId, currency }),
    candidates: readCandidates({ programId, currency, until, partnerIds }, 0, null),
    known: partnerIds === null ? undefined : knownPartners({ programId, partnerIds }),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

const partnersOf = ({ partnerIds }: CreatePayoutCall): string | null =>
  partnerIds === undefined ? null : JSON.stringify([...new Set(partnerIds)].sort((a, b) => a - b));

export const createPayout: Operation<CreatePayoutCall, ReturnType<typeof gather>, PayoutCreated> = {
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, found, context) {
    const { programId, currency, actorId, at } = call;
    if (found.program === undefined) return refuse({ code: "not_found", what: "program" });
    const existing = existingPayout(call, found);
    if (existing !== undefined) return existing;
    const payoutId = context.newId("payouts");
    const draft: PayoutRow = {
      // Not by the payout's id, which is known to all: a reference that somebody has given would be taken.
      ...{ id: payoutId, programId, currency, reference: call.reference ?? `payout-${call.operationId.slice(0, 8)}` },
      ...{ status: "draft", phase: "composing", cursorPartnerId: 0, until: call.until },
      minimumCents: call.minimumCents ?? minimumOf(found.program, currency),
      partnerIds: partnersOf(call),
      ...{ includesChangedUntil: 0, expectedTotalCents: null, totalCents: 0, lineCount: 0, paidAt: null, note: null },
      ...{ createdAt: at, createdBy: actorId, finalizedAt: null, finalizedBy: null },
      ...{ confirmedAt: null, confirmedBy: null, canceledAt: null, canceledBy: null },
    };
    const composed = composeLines(draft, found.candidates, at, context);
    if (composed.isLast && composed.payout.lineCount === 0) return refuse(nothingPayable);
    const payout = composed.isLast ? { ...composed.payout, phase: null } : composed.payout;
    const { reference, until, minimumCents, partnerIds } = payout;
    const named = partnerIds === null ? null : (JSON.parse(partnerIds) as readonly number[]);
    const after = { currency, reference, until, minimumCents, partnerIds: named };
    const change = { action: "payout.created", before: null, after: { payoutId, ...after } };
    return {
      kind: "commit",
      programId,
      answer: { payout, isNew: true },
      writes: [insertPayout(payout), ...composed.writes, auditOfPayout(call, payout, change, context)],
      ...(payout.phase === null ? {} : { holdUntil: at }),
    };
  },
};

export const nothingPayable = { code: "state_conflict", message: "Nothing is payable" } as const;

const minimumOf = (program: NonNullable<Found["program"]>, currency: string): number =>
  (program.currency === currency ? program.minimumPayoutCents : null) ?? 1;

/** Undefined: the payout is new. */
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
  if (payout.status === "canceled") {
    return refuse({ code: "state_conflict", message: "The payout with this reference was canceled" });
  }
  const differences = [
    ...(payout.currency === call.currency ? [] : ["currency"]),
    ...(payout.partnerIds === partnersOf(call) ? [] : ["partnerIds"]),
    ...((call.minimumCents ?? payout.minimumCents) === payout.minimumCents ? [] : ["minimumCents"]),
  ];
  return differences.length > 0 ? refuse({ code: "payout_conflict", differences }) : repeated(payout, false);
}
