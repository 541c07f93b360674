import { entryKinds } from "#domain/commission-status.ts";
import type { PostingDays } from "#domain/posting-days.ts";
import { id, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import type { StatementEntry } from "#store/reports/partner-statement.ts";

const cents = int64();
const text = z.string().nullable();

export const StatementEntryReply = z
  .object({
    id: id(),
    day: z.string().describe("Day of the event."),
    postedOn: z.string().describe("Day on which the entry was written. Statements go by this day."),
    kind: z.enum(entryKinds),
    amountCents: cents,
    commissionId: id().nullable(),
    transactionId: text.describe("The sale's `transaction_id`."),
    refundId: text.describe("The refund's `refund_id`."),
    reference: text.describe("Reference of an adjustment."),
    payoutId: id().nullable(),
    payoutReference: text.describe("Reference of the payout that was paid or returned."),
    partnerNote: text.describe("Your note to the partner about a rejection, an adjustment or a returned payment."),
  })
  .openapi("StatementEntry");

export type StatementEntryReply = z.output<typeof StatementEntryReply>;

const today = "Only if `to` is today or later.";

export const StatementReply = z.object({
  data: z
    .object({
      partnerId: id(),
      partnerCode: z.string().describe("The partner's `aff` code."),
      name: z.string(),
      currency: z.string(),
      from: z.string(),
      to: z.string(),
      openingCents: cents.describe("Balance before `from`."),
      entries: z.array(StatementEntryReply).describe("In the order in which they were posted."),
      closingCents: cents.describe("Balance after `to`: `openingCents` plus all entries."),
      pendingCents: cents.optional().describe(`On hold. ${today}`),
      payableCents: cents.optional().describe(`To pay. ${today}`),
      inPayoutCents: cents.optional().describe(`In payout. ${today}`),
    })
    .openapi("Statement"),
  meta: z.object({
    timezone: z.string(),
    otherCurrencies: z.array(z.string()).describe("Other currencies in which the partner has entries."),
  }),
});

export type StatementReply = z.output<typeof StatementReply>;

export const entryReply = (
  { postedAt, reviewSince: _, ...entry }: StatementEntry,
  days: PostingDays,
): StatementEntryReply => ({ ...entry, postedOn: days.dayOf(postedAt) });
