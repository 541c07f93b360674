import { isPlaceholderId } from "#domain/caller-id.ts";
import { dateText } from "#domain/explain/text.ts";
import type { PartnerId, PayoutLineId } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound } from "#domain/result.ts";
import { referenceOfLate, whyWaiting } from "#domain/settlement.ts";
import { countOfReference } from "#store/adjustments.ts";
import { type LineRow, lineById, settleLine as settle, settleLineLate } from "#store/payout-lines.ts";
import { type PayoutRow, payoutById } from "#store/payouts.ts";
import { programById } from "#store/programs.ts";
import { unacknowledgedRestore } from "#store/restores.ts";
import { payoutLock } from "../locks.ts";
import { withMails } from "../mail/mail-writes.ts";
import { adjustmentWrites } from "../manage/create-adjustment.ts";
import { acting } from "../manage/settings-change.ts";
import {
  type Commit,
  type Context,
  type Deciding,
  type Decision,
  type Operation,
  refuse,
  retryWith,
} from "../operation.ts";
import { auditOfPayout, type LineCall, mailsAt, mailsOfLines } from "./payout.ts";
import { lineEntry, whyNotByApi, withSums } from "./settled-lines.ts";

export interface SettleLineCall extends LineCall {
  readonly kind: "settle-line";
  readonly lineId: PayoutLineId;
  readonly settlementId: string;
  /** In milliseconds. Null for the time of the call. */
  readonly settledAt: number | null;
}

export interface LineSettled {
  /** The line after the commit. */
  readonly line: LineRow;
  /** True if the line had failed before the settlement was reported, so that an adjustment deducted the settlement. */
  readonly isLate: boolean;
}

interface More {
  /** The partner whose adjustment may have the line's reference. */
  readonly adjusted: PartnerId;
}

const gather = ({ programId, payoutId, lineId }: SettleLineCall, { adjusted }: Partial<More>) => ({
  program: programById({ id: programId }),
  payout: payoutById({ programId, id: payoutId }),
  line: lineById({ payoutId, id: lineId }),
  restored: unacknowledgedRestore({ programId, payoutId }),
  earlier: adjusted && countOfReference({ programId, partnerId: adjusted, reference: referenceOfLate(lineId) }),
});

/**
 * Records that a line was settled. The partner has been credited, so the settlement is accepted even if the line failed
 * after it became due. In that case, its amount is deducted from the partner's balance.
 */
export const settleLine: Operation<SettleLineCall, ReturnType<typeof gather>, LineSettled, More> = {
  kind: "settle-line",
  isEssential: true,
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [payoutLock(programId)] }),

  decide(call, { program, payout, line, restored, earlier }, context) {
    const settings = context.settings.program(call.programId);
    if (!settings || program === undefined || payout === undefined) return refuse(notFound("payout"));
    const notByApi = whyNotByApi(payout);
    if (notByApi !== undefined) return refuse(notByApi);
    if (line === undefined || line.reason !== null) return refuse(notFound("line"));
    const { settlementId } = call;
    if (settlementId === line.settlementId || settlementId === line.lateSettlementId) {
      return settled(line, settlementId !== line.settlementId, []);
    }
    if (line.state === "failed" && earlier === undefined) return retryWith({ adjusted: line.partnerId });
    const open = whyWaiting(payout, program.payoutApproval, restored);
    const waitsFor = line.state === "failed" && open !== "restored" ? whyNotLate(line, payout) : open;
    const refusal = whyUnsettled(settlementId, line, waitsFor);
    if (refusal === "restored" && restored !== undefined) return refuse({ code: "restored", restored });
    if (typeof refusal === "object") return refuse(refusal);
    const by = acting(call, context.settings);
    const found = { program: settings, payout, line };
    if (line.state !== "failed") return settleDue(by, found, context);
    return settleLate(by, { ...found, reference: referenceOfLate(line.id, earlier !== 0) }, context);
  },
};

/**
 * Returns the reason why a late settlement of a failed line is refused. If the line failed before it was due, no one
 * was allowed to credit it.
 */
const whyNotLate = ({ failedAt }: LineRow, { dueAt }: PayoutRow): "not_due" | undefined =>
  failedAt !== null && (dueAt === null || failedAt < dueAt) ? "not_due" : undefined;

/** Returns the reason why the line can't be settled with this id. */
function whyUnsettled(
  settlementId: string,
  { state, settlementId: own, lateSettlementId }: LineRow,
  waitsFor: ReturnType<typeof whyWaiting>,
): Refusal | "restored" | undefined {
  if (lateSettlementId !== null || (state === "live" && own !== null)) {
    return { code: "differs", of: "settlement", differences: ["settlement_id"] };
  }
  if (isPlaceholderId(settlementId)) return { code: "placeholder_id", field: "settlement_id" };
  return waitsFor === "not_due" ? { code: "not_due" } : waitsFor;
}

const settled = (line: LineRow, isLate: boolean, writes: Commit<LineSettled>["writes"]) =>
  ({ kind: "commit", programId: line.programId, answer: { line, isLate }, writes }) as const;

interface Settling extends Pick<Deciding, "program"> {
  readonly payout: PayoutRow;
  readonly line: LineRow;
}

type By = SettleLineCall & { readonly actorId: string };

/** The fields that identify the line in audit entries. */
const lineIn = ({ id, partnerId, amountCents }: LineRow) => ({ lineId: id, partnerId, amountCents });

function settleDue(call: By, { program, payout, line }: Settling, context: Context): Decision<LineSettled> {
  const { settlementId, at } = call;
  const settledAt = call.settledAt ?? at;
  const { id, partnerId, amountCents } = line;
  const sums = withSums(call, payout, { settledCents: amountCents }, context);
  const change = {
    action: "payout.line_settled",
    before: null,
    after: { ...lineIn(line), settlementId, settledAt },
  };
  const writes = [
    settle({ id, settlementId, settledAt }),
    lineEntry(line, { kind: "paid", occurredAt: settledAt, timezone: program.timezone }, context),
    ...sums.writes,
    ...mailsOfLines(call, "payout_paid", partnerId),
    auditOfPayout(call, payout, change, context),
  ];
  return withMails(settled({ ...line, settlementId, settledAt }, false, writes), mailsAt(call));
}

/**
 * The failed line's amount is payable again, so the late settlement is deducted from the partner's balance by an
 * adjustment.
 */
function settleLate(
  call: By,
  { program, payout, line, reference }: Settling & { readonly reference: string },
  context: Context,
): Decision<LineSettled> {
  const { settlementId, at, programId } = call;
  const settledAt = call.settledAt ?? at;
  const { id, partnerId, amountCents, currency } = line;
  const day = dateText(settledAt, program.timezone);
  const adjustment = {
    ...call,
    // The settlement's audit entry already uses the call's operation id.
    operationId: `${call.operationId} late`,
    programId,
    partnerId,
    amountCents: -amountCents,
    currency,
    reference,
    reason: `Settled on ${day}, after the line had failed. Settlement ${settlementId}`,
    partnerNote: `Credited on ${day}`,
  };
  const { writes } = adjustmentWrites(adjustment, { program, context, at });
  const change = {
    action: "payout.line_settled_late",
    before: null,
    after: { ...lineIn(line), settlementId, settledAt },
  };
  return settled({ ...line, lateSettlementId: settlementId, lateSettledAt: settledAt }, true, [
    settleLineLate({ id, settlementId, settledAt }),
    ...writes,
    auditOfPayout(call, payout, change, context),
  ]);
}
