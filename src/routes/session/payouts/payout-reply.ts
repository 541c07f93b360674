import { type ChangeReason, lineChange } from "../../../domain/payout.ts";
import { payoutStatuses, skipReasons } from "../../../domain/payout-status.ts";
import { timestamp, timestampOrNull } from "../../../http/schema/timestamp.ts";
import * as z from "../../../http/schema/zod.ts";
import type { LineView, PayoutView, ShownPayout } from "../../../store/views/payouts.ts";

const changeReasons = [...skipReasons, "added", "amount_changed"] as const satisfies readonly ChangeReason[];

const instantOrNull = () => z.iso.datetime().nullable();
const userOrNull = (description: string) => z.string().nullable().describe(description);

export const PayoutReply = z
  .object({
    id: z.int(),
    reference: z.string(),
    status: z.enum(payoutStatuses),
    currency: z.string(),
    until: z.iso.datetime().describe("Commissions and bonuses that became payable until then are paid."),
    minimumCents: z.int().describe("Smallest amount of a line."),
    partnerIds: z.array(z.int()).nullable().describe("The partners named. Null means all."),
    totalCents: z.int().describe("Sum of the lines."),
    lineCount: z.int(),
    returnedCents: z.int().describe("Sum of the lines that failed. `totalCents` includes it."),
    paidAt: instantOrNull(),
    note: z.string().nullable(),
    createdAt: z.iso.datetime(),
    createdBy: z.string().describe("Id of the user."),
    finalizedAt: instantOrNull(),
    finalizedBy: userOrNull("Id of the user who finalized the payout."),
    confirmedAt: instantOrNull(),
    confirmedBy: userOrNull("Id of the user who confirmed the payout."),
    canceledAt: instantOrNull(),
    canceledBy: userOrNull("Id of the user who canceled the payout."),
  })
  .openapi("Payout");

const partnerCode = z.string().describe("The partner's `aff` code.");

const PayoutLine = z
  .object({
    partnerId: z.int(),
    partnerCode,
    name: z.string(),
    email: z
      .string()
      .nullable()
      .optional()
      .describe("As it was when the payout was finalized. Hidden from viewers, and absent from a draft."),
    amountCents: z.int(),
    commissions: z.int().describe("Number of commissions that the line holds."),
    commissionsCents: z.int().describe("Sum of these commissions when the line was computed."),
    adjustmentsCents: z.int().describe("Bonuses and write-offs since the last payout."),
    broughtForwardCents: z
      .int()
      .describe("The rest of the amount: debts from refunds of paid commissions, and payments that came back."),
    emailChangedAt: instantOrNull().describe(
      "Set if the partner's email address was replaced within 7 days, or since the partner was last paid.",
    ),
    failedAt: instantOrNull(),
    failureReason: z.string().nullable().describe("For your team."),
    partnerNote: z.string().nullable().describe("What the partner's statement says about the failed payment."),
  })
  .openapi("PayoutLine");

const SkippedLine = z
  .object({
    partnerId: z.int(),
    partnerCode,
    name: z.string(),
    amountCents: z.int(),
    reason: z.enum(skipReasons),
    emailChangedAt: instantOrNull(),
  })
  .openapi("SkippedPayoutLine");

const PayoutChange = z
  .object({
    partnerId: z.int(),
    partnerCode,
    name: z.string(),
    beforeCents: z.int(),
    afterCents: z.int(),
    reason: z.enum(changeReasons),
  })
  .openapi("PayoutChange");

export const PayoutWithLines = PayoutReply.extend({
  lines: z.array(PayoutLine),
  skipped: z.array(SkippedLine).describe("Partners who were left out, and why."),
  changes: z
    .array(PayoutChange)
    .describe("Differences between the draft and the lines computed when it was last finalized."),
}).openapi("PayoutWithLines");

export const payoutReply = (payout: ShownPayout & { readonly returnedCents: number }): z.output<typeof PayoutReply> => {
  return {
    id: payout.id,
    reference: payout.reference,
    status: payout.status,
    currency: payout.currency,
    until: timestamp(payout.until),
    minimumCents: payout.minimumCents,
    partnerIds: payout.partnerIds === null ? null : (JSON.parse(payout.partnerIds) as number[]),
    totalCents: payout.totalCents,
    lineCount: payout.lineCount,
    returnedCents: payout.returnedCents,
    paidAt: timestampOrNull(payout.paidAt),
    note: payout.note,
    createdAt: timestamp(payout.createdAt),
    createdBy: payout.createdBy,
    finalizedAt: timestampOrNull(payout.finalizedAt),
    finalizedBy: payout.finalizedBy,
    confirmedAt: timestampOrNull(payout.confirmedAt),
    confirmedBy: payout.confirmedBy,
    canceledAt: timestampOrNull(payout.canceledAt),
    canceledBy: payout.canceledBy,
  };
};

const changesOf = (lines: readonly LineView[]) => lines.flatMap((line) => lineChange(line) ?? []);

export function payoutWithLines({ payout, lines }: PayoutView, showsEmail: boolean): z.output<typeof PayoutWithLines> {
  const returned = lines.filter(({ state }) => state === "failed");
  return {
    ...payoutReply({ ...payout, returnedCents: returned.reduce((sum, { amountCents }) => sum + amountCents, 0) }),
    lines: lines
      .filter(({ reason }) => reason === null)
      .map((line) => ({
        partnerId: line.partnerId,
        partnerCode: line.partnerCode,
        name: line.name,
        ...(showsEmail && payout.status !== "draft" ? { email: line.email } : {}),
        amountCents: line.amountCents,
        commissions: line.commissions,
        commissionsCents: line.commissionsCents,
        adjustmentsCents: line.adjustmentsCents,
        broughtForwardCents: line.amountCents - line.commissionsCents - line.adjustmentsCents,
        emailChangedAt: timestampOrNull(line.emailChangedAt),
        failedAt: timestampOrNull(line.failedAt),
        failureReason: line.failure,
        partnerNote: line.partnerNote,
      })),
    skipped: lines.flatMap(({ partnerId, partnerCode, name, amountCents, reason, emailChangedAt }) =>
      reason === null
        ? []
        : [{ partnerId, partnerCode, name, amountCents, reason, emailChangedAt: timestampOrNull(emailChangedAt) }],
    ),
    changes: changesOf(lines),
  };
}
