import type { PartnerId, PayoutLineId } from "#domain/ids.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { type ExpectedState, isOpen } from "#domain/settlement.ts";
import { withdrawMailsOfLine } from "#store/line-mails.ts";
import { type LineRow, lineById, lineOfPartner, failLine as write } from "#store/payout-lines.ts";
import { deleteRangesOfLine } from "#store/payout-ranges.ts";
import { type PayoutRow, payoutById } from "#store/payouts.ts";
import { restoreOfFinalized, type UnacknowledgedRestore, unacknowledgedRestore } from "#store/restores.ts";
import type { Write } from "#store/statement.ts";
import { payoutLock } from "../locks.ts";
import { withMails } from "../mail/mail-writes.ts";
import { noted } from "../manage/noted.ts";
import { acting } from "../manage/settings-change.ts";
import { type Commit, type Context, type Operation, refuse } from "../operation.ts";
import { aboutPayout, auditOfPayout, type LineCall, mailsAt, mailsOfLines, type PayoutAnswer } from "./payout.ts";
import { dueAfter, lineEntry, whyNotByApi, withSums } from "./settled-lines.ts";

export interface FailLineCall extends LineCall {
  readonly kind: "fail-line";
  /** API calls identify the line by its id, and members by the partner. */
  readonly line: { readonly id: PayoutLineId } | { readonly partnerId: PartnerId };
  readonly reason: string;
  readonly partnerNote: string | null;
  /** The state of the line as the caller saw it. */
  readonly expectedState?: ExpectedState | null;
  /** The instant (ms) of the restore that a member has acknowledged. API keys can't acknowledge a restore. */
  readonly restoreAcknowledged?: number | null;
}

export interface LineFailed extends PayoutAnswer {
  /** The line after the commit. */
  readonly line: LineRow;
}

const gather = ({ programId, payoutId, line }: FailLineCall) => ({
  payout: payoutById({ programId, id: payoutId }),
  line: "id" in line ? lineById({ payoutId, ...line }) : lineOfPartner({ payoutId, ...line }),
  restored: unacknowledgedRestore({ programId, payoutId }),
  restore: restoreOfFinalized({ programId, payoutId }),
});

/**
 * Marks a line as failed. If the line was paid, its amount returns to the partner's balance. If the line isn't settled
 * yet, it is given back: its amount becomes payable again without a ledger entry.
 */
export const failLine: Operation<FailLineCall, ReturnType<typeof gather>, LineFailed> = {
  kind: "fail-line",
  isEssential: true,
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, { payout, line, restored, restore }, context) {
    const program = context.settings.program(call.programId);
    if (!program || payout === undefined) return refuse(notFound("payout"));
    const notByApi = "id" in call.line ? whyNotByApi(payout) : undefined;
    if (notByApi !== undefined) return refuse(notByApi);
    if (line === undefined || line.reason !== null) return refuse(notFound("line"));
    const isByApi = payout.settledBy === "api";
    const wasSettled = !isByApi || line.settledAt !== null;
    if (call.expectedState != null && (call.expectedState === "settled") !== wasSettled) {
      return refuse({ code: "differs", of: "line", differences: ["state"] });
    }
    if (line.state === "failed") return failed(payout, line, []);
    if (isByApi ? payout.finalizedNumber === null : payout.status !== "paid")
      return refuse({ code: "payout_not_paid" });
    const acknowledged = lostByRestore(call, wasSettled ? undefined : restored);
    if (!acknowledged.ok) return refuse(acknowledged.refusal);
    const by = acting(call, context.settings);
    const found = { payout: dueAfter(restore, payout, call.at), line, lost: acknowledged.value };
    return withMails(failing(by, { ...found, timezone: program.timezone }, context), mailsAt(call));
  },
};

const failed = (payout: PayoutRow, line: LineRow, writes: readonly Write[]): Commit<LineFailed> => ({
  kind: "commit",
  programId: payout.programId,
  answer: { payout, line },
  writes,
});

/**
 * The restore that the call has to acknowledge. A line that was open in the backup may have been settled since. The
 * acknowledgment covers only this line: the payout's other lines wait until an owner confirms the payout.
 */
const lostByRestore = (
  { restoreAcknowledged }: FailLineCall,
  lost: UnacknowledgedRestore | undefined,
): Result<UnacknowledgedRestore | undefined> =>
  lost === undefined || restoreAcknowledged === lost.restoredAt
    ? ok(lost)
    : refused({ code: "restored", restored: lost });

interface Failing {
  readonly payout: PayoutRow;
  readonly line: LineRow;
  /** The restore that the call acknowledges. */
  readonly lost: UnacknowledgedRestore | undefined;
  readonly timezone: string;
}

function failing(
  call: FailLineCall & { readonly actorId: string },
  { payout, line, lost, timezone }: Failing,
  context: Context,
): Commit<LineFailed> {
  const { reason, partnerNote, at, actorId } = call;
  const { id, partnerId, amountCents } = line;
  const isByApi = payout.settledBy === "api";
  const isGivenBack = isByApi && isOpen(line);
  const { writes: notes, named } = noted(aboutPayout(payout), { reason, partnerNote }, context);
  const [failureId, partnerNoteId] = [named.reason.note, named.partnerNote?.note ?? null];
  const givenBackNumber = isGivenBack ? context.newId("ledgerEntries") : null;
  const change = {
    action: "payout.line_failed",
    before: { partnerId, amountCents },
    after: { partnerId, amountCents: 0, ...(lost && { restoredAt: lost.restoredAt }), ...named },
  };
  const added = isGivenBack ? { givenBackCents: amountCents } : { returnedCents: amountCents };
  const after = isByApi ? withSums(call, payout, added, context) : { payout, writes: [] };
  const failure = { failedAt: at, failedBy: actorId, failureId, partnerNoteId, givenBackNumber };
  return failed(after.payout, { ...line, ...failure, state: "failed" }, [
    ...notes,
    write({ id, ...failure }),
    deleteRangesOfLine({ payoutId: payout.id, partnerId }),
    ...(isGivenBack ? [] : [lineEntry(line, { kind: "returned", occurredAt: at, timezone }, context)]),
    ...after.writes,
    withdrawMailsOfLine({ payoutLineId: id }),
    ...mailsOfLines(call, "line_failed", partnerId),
    auditOfPayout(call, payout, change, context),
  ]);
}
