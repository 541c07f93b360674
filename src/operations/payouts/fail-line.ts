import { dayIn } from "#domain/calendar.ts";
import type { PartnerId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { insertEntry } from "#store/commissions.ts";
import { withdrawLineMail } from "#store/line-mails.ts";
import { lineOfPartner, failLine as write } from "#store/payout-lines.ts";
import { deleteRanges } from "#store/payout-ranges.ts";
import { payoutById } from "#store/payouts.ts";
import { newEntry } from "../entry.ts";
import { payoutLock } from "../locks.ts";
import { withMails } from "../mail/mail-writes.ts";
import { noted } from "../manage/noted.ts";
import { type Operation, refuse } from "../operation.ts";
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

export interface FailLineCall extends MailingCall {
  readonly kind: "fail-line";
  readonly partnerId: PartnerId;
  readonly reason: string;
  readonly partnerNote: string | null;
}

const gather = ({ programId, payoutId, partnerId }: FailLineCall) => ({
  payout: payoutById({ programId, id: payoutId }),
  line: lineOfPartner({ payoutId, partnerId }),
});

export const failLine: Operation<FailLineCall, ReturnType<typeof gather>, PayoutAnswer> = {
  kind: "fail-line",
  isEssential: true,
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, { payout, line }, context) {
    const { programId, partnerId, reason, partnerNote, at } = call;
    const program = context.settings.program(programId);
    if (!program || payout === undefined) return refuse(notFound("payout"));
    if (line === undefined || line.reason !== null) return refuse(notFound("line"));
    if (line.state === "failed") return unchanged(payout);
    if (payout.status !== "paid") return refuse({ code: "payout_not_paid" });
    const { id, amountCents } = line;
    const returned = newEntry(
      {
        programId,
        isTest: false,
        partnerId,
        amountCents,
        currency: line.currency,
        kind: "returned",
        occurredAt: at,
        day: dayIn(program.timezone, at),
        payoutLineId: id,
      },
      context,
    );
    const { writes: notes, named } = noted(aboutPayout(payout), { reason, partnerNote }, context);
    const change = {
      action: "payout.line_failed",
      before: { partnerId, amountCents },
      after: { partnerId, amountCents: 0, ...named },
    };
    const failed = changedPayout(payout, [
      ...notes,
      write({ id, at, by: call.actorId, failureId: named.reason.note, partnerNoteId: named.partnerNote?.note ?? null }),
      deleteRanges({ payoutId: payout.id, partnerId }),
      insertEntry(returned),
      withdrawLineMail({ payoutLineId: id, template: "payout_paid" }),
      ...mailsOfLines(call, "line_failed", partnerId),
      auditOfPayout(call, payout, change, context),
    ]);
    return withMails(failed, mailsAt(call));
  },
};
