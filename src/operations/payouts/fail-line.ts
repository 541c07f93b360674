import { dayIn } from "../../domain/calendar.ts";
import { insertEntry } from "../../store/commissions.ts";
import { lineOfPartner, failLine as write } from "../../store/payout-lines.ts";
import { payoutById } from "../../store/payouts.ts";
import { type Operation, refuse } from "../operation.ts";
import { lineEntry } from "./pay.ts";
import { auditOfPayout, changedPayout, type PayoutAnswer, type PayoutCall, payoutLock, unchanged } from "./payout.ts";

export interface FailLineCall extends PayoutCall {
  readonly kind: "fail-line";
  readonly partnerId: number;
  readonly reason: string;
}

const gather = ({ programId, payoutId, partnerId }: FailLineCall) => ({
  payout: payoutById({ programId, id: payoutId }),
  line: lineOfPartner({ payoutId, partnerId }),
});

export const failLine: Operation<FailLineCall, ReturnType<typeof gather>, PayoutAnswer> = {
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, { payout, line }, context) {
    const { programId, partnerId, reason, at } = call;
    const program = context.settings.program(programId);
    if (!program || payout === undefined) return refuse({ code: "not_found", what: "payout" });
    if (line === undefined || line.reason !== null) return refuse({ code: "not_found", what: "line" });
    if (line.state === "failed") return unchanged(payout);
    if (payout.status !== "paid") {
      return refuse({ code: "state_conflict", message: "Only lines of a paid payout can fail" });
    }
    const { id, amountCents } = line;
    const returned = { kind: "returned", amountCents, occurredAt: at, day: dayIn(program.timezone, at) } as const;
    const change = {
      action: "payout.line_failed",
      before: { partnerId, amountCents },
      after: { partnerId, amountCents: 0, reason },
    };
    const writes = [
      write({ id, at, by: call.actorId, failure: reason }),
      insertEntry(lineEntry(payout, line, returned, context)),
      auditOfPayout(call, payout, change, context),
    ];
    return changedPayout({ ...payout, phase: "freeing" }, writes, at);
  },
};
