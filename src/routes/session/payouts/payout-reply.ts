import { type ChangeReason, lineChange } from "../../../domain/payout.ts";
import { payoutStatuses, skipReasons } from "../../../domain/payout-status.ts";
import type { Refusal } from "../../../domain/refusal.ts";
import { timestamp, timestampOrNull } from "../../../http/schema/timestamp.ts";
import * as z from "../../../http/schema/zod.ts";
import type { LineRow } from "../../../store/payout-lines.ts";
import type { PayoutRow } from "../../../store/payouts.ts";
import type { PayoutView } from "../../../store/views/payouts.ts";

const changeReasons = [...skipReasons, "added", "amount_changed"] as const satisfies readonly ChangeReason[];

const instantOrNull = () => z.iso.datetime().nullable();
const userOrNull = (description: string) => z.string().nullable().describe(description);

export const PayoutReply = z
  .object({
    id: z.int(),
    reference: z.string(),
    status: z
      .enum(payoutStatuses)
      .describe(
        "`finalizing` and `confirming` are in progress, and continue by themselves. From `confirming` on, the payout counts as paid.",
      ),
    currency: z.string(),
    until: z.iso.datetime().describe("Commissions approved until then are paid."),
    minimumCents: z.int().describe("Smallest amount of a line."),
    partnerIds: z.array(z.int()).nullable().describe("The partners named. Null means all."),
    totalCents: z.int().describe("Sum of the lines. While `finalizing`, of those computed so far."),
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

const PayoutLine = z
  .object({
    partnerId: z.int(),
    name: z.string(),
    email: z
      .string()
      .nullable()
      .optional()
      .describe("As it was when the payout was finalized. Hidden from viewers, and absent from a draft."),
    amountCents: z.int(),
    commissions: z.int().describe("Number of commissions."),
    emailChangedAt: instantOrNull().describe(
      "Set if the partner's email address was replaced within 7 days, or since the partner was last paid.",
    ),
    failedAt: instantOrNull(),
    failureReason: z.string().nullable(),
  })
  .openapi("PayoutLine");

const SkippedLine = z
  .object({
    partnerId: z.int(),
    name: z.string(),
    amountCents: z.int(),
    reason: z.enum(skipReasons),
    emailChangedAt: instantOrNull(),
  })
  .openapi("SkippedPayoutLine");

const PayoutChange = z
  .object({
    partnerId: z.int(),
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

export const payoutReply = (payout: PayoutRow & { readonly returnedCents: number }): z.output<typeof PayoutReply> => {
  const { confirmedAt } = payout;
  // Kept with the request to confirm, and in force only once the payout is confirmed.
  const isConfirmed = confirmedAt !== null;
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
    paidAt: isConfirmed ? timestampOrNull(payout.paidAt) : null,
    note: isConfirmed ? payout.note : null,
    createdAt: timestamp(payout.createdAt),
    createdBy: payout.createdBy,
    finalizedAt: timestampOrNull(payout.finalizedAt),
    finalizedBy: payout.finalizedBy,
    confirmedAt: timestampOrNull(confirmedAt),
    confirmedBy: isConfirmed ? payout.confirmedBy : null,
    canceledAt: timestampOrNull(payout.canceledAt),
    canceledBy: payout.canceledBy,
  };
};

const changesOf = (lines: readonly LineRow[]) => lines.flatMap((line) => lineChange(line) ?? []);

/** Of a payout that returned to `draft` instead of being finalized. */
export function whyStillDraft({ payout, lines }: PayoutView): Refusal {
  const changes = changesOf(lines);
  if (payout.lineCount > 0) return { code: "total_differs", changes };
  return { code: "all_left_out", reasons: [...new Set(lines.flatMap(({ reason }) => reason ?? []))], changes };
}

export function payoutWithLines({ payout, lines }: PayoutView, showsEmail: boolean): z.output<typeof PayoutWithLines> {
  const returned = lines.filter(({ state }) => state === "failed");
  return {
    ...payoutReply({ ...payout, returnedCents: returned.reduce((sum, { amountCents }) => sum + amountCents, 0) }),
    lines: lines
      .filter(({ reason }) => reason === null)
      .map((line) => ({
        partnerId: line.partnerId,
        name: line.name,
        ...(showsEmail && payout.status !== "draft" ? { email: line.email } : {}),
        amountCents: line.amountCents,
        commissions: line.commissions,
        emailChangedAt: timestampOrNull(line.emailChangedAt),
        failedAt: timestampOrNull(line.failedAt),
        failureReason: line.failure,
      })),
    skipped: lines.flatMap(({ partnerId, name, amountCents, reason, emailChangedAt }) =>
      reason === null
        ? []
        : [{ partnerId, name, amountCents, reason, emailChangedAt: timestampOrNull(emailChangedAt) }],
    ),
    changes: changesOf(lines),
  };
}
