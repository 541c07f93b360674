import type { CommissionRefs } from "#domain/commission-ref.ts";
import { entryKinds } from "#domain/commission-status.ts";
import type { PostingDays } from "#domain/posting-days.ts";
import { underReviewSince } from "#domain/under-review.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { StatementEntry } from "#store/reports/partner-statement.ts";
import type { ExportColumns } from "./export-file.ts";
import { ref } from "./own-commissions.ts";
import { firstColumns, lastColumns, type StatementLine, type StatementOwner } from "./statements.ts";

const cents = int64();

const OwnEntry = z
  .object({
    day: z.string().describe("Day of the event."),
    postedOn: z.string().describe("Day on which the entry was written. Statements go by this day."),
    kind: z.enum(entryKinds),
    amountCents: cents,
    ref: ref().nullable(),
    underReview: z.boolean().describe("The commission's hold is over, and the program still has to confirm it."),
    underReviewSince: z.iso.datetime().nullable(),
    payoutReference: z.string().nullable().describe("Reference of the payout that was paid or returned."),
    partnerNote: z.string().nullable().describe("The program's note about the entry."),
  })
  .openapi("OwnStatementEntry");

type OwnEntry = z.output<typeof OwnEntry>;

const today = "Only if `to` is today or later.";

export const OwnStatement = z.object({
  data: z
    .object({
      partnerId: id(),
      partnerCode: z.string().describe("Your first code."),
      name: z.string(),
      currency: z.string(),
      from: z.string(),
      to: z.string(),
      openingCents: cents.describe("Balance before `from`."),
      entries: z.array(OwnEntry).describe("In the order in which they were posted."),
      closingCents: cents.describe("Balance after `to`: `openingCents` plus all entries."),
      pendingCents: cents.optional().describe(`On hold. ${today}`),
      payableCents: cents.optional().describe(`To pay. ${today}`),
      inPayoutCents: cents.optional().describe(`In payout. ${today}`),
    })
    .openapi("OwnStatement"),
  meta: z.object({
    timezone: z.string(),
    otherCurrencies: z.array(z.string()).describe("Other currencies in which you have entries."),
  }),
});

/** `at`: until then commissions are under review. */
export const ownEntries =
  ({ refOf }: Pick<CommissionRefs, "refOf">, at: number) =>
  (entry: StatementEntry, days: PostingDays): OwnEntry => {
    const { day, postedAt, kind, amountCents, commissionId, payoutReference, partnerNote } = entry;
    const since = underReviewSince(entry, at);
    return {
      day,
      postedOn: days.dayOf(postedAt),
      kind,
      amountCents,
      ref: commissionId === null ? null : refOf(commissionId),
      underReview: since !== null,
      underReviewSince: timestampOrNull(since),
      payoutReference,
      partnerNote,
    };
  };

export const ownStatementColumns = (owner: StatementOwner): ExportColumns<StatementLine<OwnEntry>> => ({
  ...firstColumns,
  commission: ({ entry }) => entry?.ref ?? null,
  under_review_since: ({ entry }) => entry?.underReviewSince ?? null,
  ...lastColumns(owner),
});
