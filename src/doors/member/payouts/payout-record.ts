import { type PaymentDetails, paymentMethods } from "#domain/payment-details.ts";
import { type ChangeReason, lineChange } from "#domain/payout.ts";
import { payoutStatuses, skipReasons } from "#domain/payout-status.ts";
import { id, int32, int64 } from "#http/schema/integers.ts";
import { encoded, from, instant, instantOrNull, record } from "#http/schema/record.ts";
import { timestamp, timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { FileLine, ListedPayout, PayoutView } from "#store/views/payouts.ts";
import { amountCell, type ExportColumns } from "../export-file.ts";
import { flagsOf, partnerFlags } from "../partners/partner-flags.ts";

const changeReasons = [...skipReasons, "added", "amount_changed"] as const satisfies readonly ChangeReason[];

const userOrNull = (description: string) => z.string().nullable().describe(description);

export const payoutRecord = record("Payout", {
  id: id(),
  reference: z.string(),
  status: z.enum(payoutStatuses),
  currency: z.string(),
  until: instant("Commissions and bonuses that became payable until then are paid."),
  minimumCents: int64().describe("Smallest amount of a line."),
  partnerIds: encoded(z.array(id()).nullable().describe("The partners named. Null means all."), (ids: string | null) =>
    ids === null ? null : (JSON.parse(ids) as number[]),
  ),
  totalCents: int64().describe("Sum of the lines."),
  lineCount: int32(),
  returnedCents: int64().describe("Sum of the lines that failed. `totalCents` includes it."),
  paidAt: instantOrNull(),
  note: z.string().nullable(),
  createdAt: instant(),
  createdBy: z.string().describe("Id of the user."),
  finalizedAt: instantOrNull(),
  finalizedBy: userOrNull("Id of the user who finalized the payout."),
  confirmedAt: instantOrNull(),
  confirmedBy: userOrNull("Id of the user who confirmed the payout."),
  canceledAt: instantOrNull(),
  canceledBy: userOrNull("Id of the user who canceled the payout."),
});

export const payoutColumns: ExportColumns<ListedPayout> = {
  reference: ({ reference }) => reference,
  status: ({ status }) => status,
  partners: ({ lineCount }) => lineCount,
  amount: ({ totalCents, currency }) => amountCell(totalCents, currency),
  returned: ({ returnedCents, currency }) => amountCell(returnedCents, currency),
  currency: ({ currency }) => currency,
  created_at: ({ createdAt }) => timestamp(createdAt),
  finalized_at: ({ finalizedAt }) => timestampOrNull(finalizedAt),
  paid_at: ({ paidAt }) => timestampOrNull(paidAt),
  canceled_at: ({ canceledAt }) => timestampOrNull(canceledAt),
  note: ({ note }) => note,
  payout_id: ({ id }) => id,
};

const partnerOfLine = {
  partnerId: id(),
  partnerCode: z.string().describe("The partner's `aff` code."),
  name: z.string(),
};

const lineRecord = record("PayoutLine", {
  ...partnerOfLine,
  email: z
    .string()
    .nullable()
    .optional()
    .describe("As it was when the payout was finalized. Hidden from viewers, and absent from a draft."),
  paymentMethod: z
    .enum(paymentMethods)
    .nullable()
    .optional()
    .describe("Null: paid by the email address. Hidden from viewers. Of a draft, as it is now."),
  paymentSetBy: z
    .string()
    .nullable()
    .optional()
    .describe(
      "Address of the account that set these details. Null if it is gone, and without details. Hidden from viewers.",
    ),
  paymentSetAt: z.iso.datetime().nullable().optional().describe("Hidden from viewers."),
  flags: partnerFlags
    .optional()
    .describe("Of a draft: `shared_account` if another partner is paid to the same account. Hidden from viewers."),
  amountCents: int64(),
  commissions: int64().describe("Number of commissions that the line holds."),
  commissionsCents: int64().describe("Sum of these commissions when the line was computed."),
  adjustmentsCents: int64().describe("Bonuses and write-offs since the last payout."),
  broughtForwardCents: int64().describe(
    "The rest of the amount: debts from refunds of paid commissions, and payments that came back.",
  ),
  detailsChangedAt: instantOrNull(
    "Set if the partner's email address or payment details were replaced within 7 days, or since the partner was last paid.",
  ),
  failedAt: instantOrNull(),
  failureReason: from("failure", z.string().nullable().describe("For your team.")),
  partnerNote: z.string().nullable().describe("What the partner's statement says about the failed payment."),
});

export type PaidLine = FileLine & { readonly details: PaymentDetails | undefined };

const detailsColumns: ExportColumns<PaidLine> = {
  method: ({ paymentMethod }) => paymentMethod,
  account: ({ details }) => details?.account ?? null,
  holder: ({ details }) => details?.holder ?? null,
  country: ({ details }) => details?.country ?? null,
  tax_id: ({ details }) => details?.taxId ?? null,
};

/** Columns of a payout's payment list. Only an owner's has the details. */
export const lineColumns = (reference: string, hasDetails: boolean): ExportColumns<PaidLine> => ({
  reference: () => reference,
  partner_id: ({ partnerId }) => partnerId,
  partner_code: ({ partnerCode }) => partnerCode,
  partner: ({ name }) => name,
  email: ({ email }) => email,
  amount: ({ amountCents, currency }) => amountCell(amountCents, currency),
  currency: ({ currency }) => currency,
  ...(hasDetails && detailsColumns),
});

const skippedRecord = record("SkippedPayoutLine", {
  ...partnerOfLine,
  amountCents: int64(),
  reason: z.enum(skipReasons),
  detailsChangedAt: instantOrNull(),
});

const PayoutChange = z
  .object({ ...partnerOfLine, beforeCents: int64(), afterCents: int64(), reason: z.enum(changeReasons) })
  .openapi("PayoutChange");

export const PayoutWithLines = payoutRecord.schema
  .extend({
    lines: z.array(lineRecord.schema),
    skipped: z.array(skippedRecord.schema).describe("Partners who were left out, and why."),
    changes: z
      .array(PayoutChange)
      .describe("Differences between the draft and the lines computed when it was last finalized."),
  })
  .openapi("PayoutWithLines");

/** `emails`: of the accounts that set payment details. Undefined: neither these nor the details are shown. */
export function payoutWithLines(
  { payout, lines }: PayoutView,
  emails: ReadonlyMap<string, string> | undefined,
): z.output<typeof PayoutWithLines> {
  const returned = lines.filter(({ state }) => state === "failed");
  const showsDetails = emails !== undefined;
  const hidesEmail = !showsDetails || payout.status === "draft";
  return {
    ...payoutRecord.reply({
      ...payout,
      returnedCents: returned.reduce((sum, { amountCents }) => sum + amountCents, 0),
    }),
    lines: lines
      .filter(({ reason }) => reason === null)
      .map((line) =>
        lineRecord.reply({
          ...line,
          email: hidesEmail ? undefined : line.email,
          paymentMethod: showsDetails ? (line.payment?.method ?? null) : undefined,
          paymentSetBy: emails && (emails.get(line.payment?.setBy ?? "") ?? null),
          paymentSetAt: showsDetails ? timestampOrNull(line.payment?.setAt ?? null) : undefined,
          flags: showsDetails ? flagsOf(line.sharing) : undefined,
          broughtForwardCents: line.amountCents - line.commissionsCents - line.adjustmentsCents,
        }),
      ),
    skipped: lines.flatMap(({ reason, ...line }) =>
      reason === null ? [] : [skippedRecord.reply({ ...line, reason })],
    ),
    changes: lines.flatMap((line) => lineChange(line) ?? []),
  };
}
