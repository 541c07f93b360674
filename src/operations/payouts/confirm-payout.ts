import { dayIn } from "#domain/calendar.ts";
import type { PayoutApproval } from "#domain/payout-status.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound } from "#domain/result.ts";
import { insertPaidEntries } from "#store/payout-lines.ts";
import { type PayoutRow, payoutById, savePayout } from "#store/payouts.ts";
import { programById } from "#store/programs.ts";
import { unacknowledgedRestore } from "#store/restores.ts";
import type { Write } from "#store/statement.ts";
import { payoutLock } from "../locks.ts";
import { withMails } from "../mail/mail-writes.ts";
import { noted } from "../manage/noted.ts";
import {
  type Commit,
  type Context,
  type Decision,
  type Gathered,
  type Operation,
  refuse,
  retryWith,
} from "../operation.ts";
import { acknowledging } from "./after-restore.ts";
import {
  candidatesNeeded,
  candidatesOfDraft,
  differsFrom,
  type FinalizingCall,
  finalizeDraft,
  type MoreOfDraft,
} from "./finalize-payout.ts";
import {
  aboutPayout,
  auditOfPayout,
  changedPayout,
  type MailingCall,
  mailsAt,
  mailsOfLines,
  type PayoutAnswer,
  unchanged,
} from "./payout.ts";

export interface ConfirmPayoutCall extends FinalizingCall, MailingCall {
  readonly kind: "confirm-payout";
  /** Milliseconds. Null for the instant of the call. */
  readonly paidAt: number | null;
  readonly note: string | null;
  readonly isByOwner: boolean;
}

function gather(call: ConfirmPayoutCall, more: Partial<MoreOfDraft>) {
  const { programId, payoutId } = call;
  return {
    program: programById({ id: programId }),
    payout: payoutById({ programId, id: payoutId }),
    restored: unacknowledgedRestore({ programId, payoutId }),
    candidates: candidatesOfDraft(call, more),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;
type Program = NonNullable<Found["program"]>;

export const confirmPayout: Operation<ConfirmPayoutCall, ReturnType<typeof gather>, PayoutAnswer, MoreOfDraft> = {
  kind: "confirm-payout",
  isEssential: true,
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, found, context) {
    const { program, payout } = found;
    if (program === undefined || payout === undefined) return refuse(notFound("payout"));
    if (payout.settledBy === "api") return confirmByApi(call, { ...found, program, payout }, context);
    switch (payout.status) {
      case "canceled":
        return refuse({ code: "payout_closed", status: payout.status, action: "confirmed" });
      case "paid":
        return differsFrom(payout, call.expectedTotalCents)
          ? refuse({ code: "total_differs", changes: [] })
          : unchanged(payout);
      case "draft":
        return confirmDraft(call, { ...found, program, payout }, context);
      case "final":
        return confirmFinal(call, { ...found, program, payout }, context);
    }
  },
};

type FoundPayout = Found & { readonly payout: PayoutRow; readonly program: Program };

function confirmDraft(
  call: ConfirmPayoutCall,
  { payout: draft, program, restored, candidates }: FoundPayout,
  context: Context,
): Decision<PayoutAnswer, MoreOfDraft> {
  if (program.payoutApproval === "two_people") return refuse({ code: "payout_not_final" });
  if (candidates === undefined) return retryWith(candidatesNeeded(draft));
  // The audit entry of the confirmation has the call's operation id, which identifies a repeated call. The entry of the
  // finalization therefore needs another id.
  const finalizing = { ...call, operationId: `${call.operationId} finalize` };
  const finalized = finalizeDraft(finalizing, { payout: draft, restored, candidates }, context);
  if (!finalized.ok) return refuse(finalized.refusal);
  const { payout, writes } = pay(call, finalized.value.payout, program, context);
  return withMails(changedPayout(payout, [...finalized.value.writes, ...writes]), mailsAt(call));
}

function confirmFinal(
  call: ConfirmPayoutCall,
  { payout, program, restored }: FoundPayout,
  context: Context,
): Decision<PayoutAnswer> {
  if (isSamePerson(call, payout, program.payoutApproval)) return refuse({ code: "same_person" });
  if (differsFrom(payout, call.expectedTotalCents)) return refuse({ code: "total_differs", changes: [] });
  const acknowledged = acknowledging(call, payout, restored, context);
  if (!acknowledged.ok) return refuse(acknowledged.refusal);
  const { payout: paid, writes } = pay(call, payout, program, context);
  return withMails(changedPayout(paid, [...acknowledged.value, ...writes]), mailsAt(call));
}

/**
 * Confirms a payout that is settled by API. If two people must approve payouts, the confirmation makes the lines due.
 * After a restore from a backup, the lines wait until an owner confirms the payout again.
 */
function confirmByApi(
  call: ConfirmPayoutCall,
  { payout, program, restored }: FoundPayout,
  context: Context,
): Decision<PayoutAnswer> {
  const needsTwo = program.payoutApproval === "two_people";
  const lost = payout.status === "final" ? restored : undefined;
  const refusal = whyNotByApi(call, payout, { needsTwo, isRestored: lost !== undefined });
  if (refusal !== undefined) return refuse(refusal);
  const isDue = payout.status === "paid" || !needsTwo || payout.confirmedAt !== null;
  if (isDue && lost === undefined) return unchanged(payout);
  const isSame = !isDue && isSamePerson(call, payout, program.payoutApproval);
  if (isSame && !call.isByOwner) return refuse({ code: "same_person" });
  if (isSame && lost === undefined) return confirmedBefore(call, payout);
  if (lost !== undefined && !call.isByOwner) return refuse({ code: "role_too_low", needed: "owner" });
  const acknowledged = acknowledging(call, payout, lost, context);
  if (!acknowledged.ok) return refuse(acknowledged.refusal);
  // If the owner who finalized the payout confirms it, the call only acknowledges the restore. Another person still has
  // to confirm the payout.
  return isDue || isSame
    ? changedPayout(payout, acknowledged.value)
    : makeDue(call, payout, acknowledged.value, context);
}

/** A call with an acknowledgment isn't refused, because it may repeat a call that succeeded. */
const confirmedBefore = ({ restoreAcknowledged }: ConfirmPayoutCall, payout: PayoutRow): Decision<PayoutAnswer> =>
  restoreAcknowledged === null ? refuse({ code: "same_person" }) : unchanged(payout);

function whyNotByApi(
  { expectedTotalCents, restoreAcknowledged }: ConfirmPayoutCall,
  payout: PayoutRow,
  { needsTwo, isRestored }: { readonly needsTwo: boolean; readonly isRestored: boolean },
): Refusal | undefined {
  const { status } = payout;
  if (status === "canceled") return { code: "payout_closed", status, action: "confirmed" };
  if (status === "draft") return { code: needsTwo ? "payout_not_final" : "settled_by_api" };
  // As in `confirmedBefore`, a call with an acknowledgment isn't refused.
  if (!needsTwo && !isRestored && restoreAcknowledged === null) return { code: "settled_by_api" };
  return differsFrom(payout, expectedTotalCents) ? { code: "total_differs", changes: [] } : undefined;
}

function makeDue(
  call: ConfirmPayoutCall,
  payout: PayoutRow,
  acknowledged: readonly Write[],
  context: Context,
): Commit<PayoutAnswer> {
  const { at, actorId, note } = call;
  const { status, totalCents, lineCount: lines } = payout;
  const { writes: notes, named } = noted(aboutPayout(payout), { note }, context);
  const dueAt = payout.dueAt ?? at;
  const confirmed = { ...payout, dueAt, confirmedAt: at, confirmedBy: actorId, noteId: named.note?.note ?? null };
  const change = {
    action: "payout.confirmed",
    before: { status },
    after: { status, totalCents, lines, paidAt: null, ...named },
  };
  const audit = auditOfPayout(call, payout, change, context);
  return changedPayout(confirmed, [...acknowledged, ...notes, savePayout(confirmed), audit]);
}

const isSamePerson = ({ actorId }: ConfirmPayoutCall, { finalizedBy }: PayoutRow, approval: PayoutApproval): boolean =>
  approval === "two_people" && finalizedBy === actorId;

/** Posts the `paid` entries of a final payout's lines. */
function pay(
  call: ConfirmPayoutCall,
  final: PayoutRow,
  { timezone }: Program,
  context: Context,
): { readonly payout: PayoutRow; readonly writes: readonly Write[] } {
  const { at, actorId, note } = call;
  const paidAt = call.paidAt ?? at;
  const { writes: notes, named } = noted(aboutPayout(final), { note }, context);
  const noteId = named.note?.note ?? null;
  const payout: PayoutRow = { ...final, status: "paid", paidAt, noteId, confirmedAt: at, confirmedBy: actorId };
  const { id: payoutId, totalCents, lineCount: lines } = payout;
  const after = { status: "paid", totalCents, lines, paidAt, ...named };
  const change = { action: "payout.confirmed", before: { status: "final" }, after };
  const entries = {
    payoutId,
    firstId: context.newId("ledgerEntries", lines),
    occurredAt: paidAt,
    createdAt: context.postingAt(),
    day: dayIn(timezone, paidAt),
  };
  const audit = auditOfPayout(call, payout, change, context);
  const mails = mailsOfLines(call, "payout_paid", null);
  return { payout, writes: [...notes, savePayout(payout), insertPaidEntries(entries), ...mails, audit] };
}
