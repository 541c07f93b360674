import { dayIn } from "#domain/calendar.ts";
import { approvers, shownStatuses } from "#domain/commission-status.ts";
import { appliedRateBps } from "#domain/explain/frozen.ts";
import type { CommissionId, ProgramId } from "#domain/ids.ts";
import type { Days } from "#domain/performance.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { type ReviewReason, reviewReason } from "#domain/review-reason.ts";
import { reviewCodes } from "#domain/risk.ts";
import { refAdder } from "#http/commission-ref.ts";
import type { Ctx } from "#http/context.ts";
import { sourceOrNull } from "#http/schema/attribution-source.ts";
import { cursorOf } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int32, int64 } from "#http/schema/integers.ts";
import { instant, instantOrNull, record } from "#http/schema/record.ts";
import { timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { type CommissionFilter, commissionOrders, commissionSorts } from "#store/views/commission-filter.ts";
import type { CommissionView } from "#store/views/commissions.ts";
import { findCommission } from "#store/views/commissions.ts";
import { amountCell, type ExportColumns } from "./export-file.ts";
import * as narrowing from "./narrowing.ts";
import { day, partnerId } from "./period.ts";
import { readFromDatabase } from "./read-database.ts";
import { storedObject } from "./stored-json.ts";
import { currencyOrUnit } from "./units.ts";

export const commissionRecord = record("CommissionRecord", {
  id: id(),
  saleId: id(),
  transactionId: z.string(),
  customerKey: z.string().nullable(),
  saleDate: z.string().describe("Day of the sale in the program's time zone, fixed when it was recorded."),
  soldAt: instant(),
  saleAmountCents: int64().describe("Amount of the sale before refunds, in the currency's smallest unit."),
  saleRefundedCents: int64(),
  saleCurrency: z.string(),
  corrected: z.boolean().describe("True if a correction replaced the sale. The new sale has a commission of its own."),
  partnerId: id().nullable(),
  partnerCode: z.string().nullable(),
  partnerName: z.string().nullable(),
  source: sourceOrNull,
  sub: z
    .string()
    .nullable()
    .describe("The partner's sub-id: `aff_sub` of the click that the commission is based on. Null without one."),
  ref: z.string().describe("Reference of the commission in the partner's pages and files."),
  status: z.enum(shownStatuses),
  reason: z.string().nullable().describe("Reason why a `void` commission pays nothing. Null for other commissions."),
  unconfirmed: z
    .boolean()
    .describe(
      "True if only a browser reported the click. A call with the API key confirms the commission, and so does an approval.",
    ),
  held: z
    .boolean()
    .describe(
      "True if the commission stays on hold until a member releases, approves or rejects it, or its review ends.",
    ),
  heldSince: instantOrNull("Time since which the commission is held. Null if it isn't held."),
  reviewUntil: instantOrNull(
    "Time at which the review of a held commission ends automatically. Null: a member has to end it.",
  ),
  reasons: z
    .array(z.object({ code: z.enum(reviewCodes), text: z.string() }))
    .describe("Reasons for the hold or flag. `by_hand`: a member's reason."),
  rateBps: int32()
    .nullable()
    .describe("Rate of the policy in hundredths of a percent. Null for a fixed amount, and without a policy."),
  appliedRateBps: int32()
    .nullable()
    .describe(
      "Rate that gave the amount, in hundredths of a percent: of the policy, or of its rule or tier. Null if several rates or a fixed amount gave it, and for a `void` commission.",
    ),
  initialCents: int64().describe("Amount before refunds and a rejection."),
  amountCents: int64().describe("Remaining amount in the currency's smallest unit."),
  currency: z.string(),
  holdUntil: instantOrNull(),
  approvedAt: instantOrNull(),
  approvedBy: z
    .enum(approvers)
    .nullable()
    .describe("`hold`: the end of the hold approved it. `person`: a member did. Null unless it was approved."),
  createdAt: instant("Time at which the sale was received."),
  inPayout: z
    .boolean()
    .describe("True while a payout that isn't paid yet has reserved the commission. It can't be rejected then."),
  explanation: storedObject(
    "The evidence, terms and arithmetic behind the commission, as they were when it was decided.",
  ),
});

export const commissionCursors = cursorOf("commissions", {
  sort: z.enum(commissionSorts),
  order: z.enum(commissionOrders),
  currency: z.string().regex(/^([A-Z]{3,12})?$/),
  value: z.int(),
  id: z.int().positive(),
});

const { explanation, ...apiColumns } = commissionRecord.columns(
  "id",
  "saleId",
  "transactionId",
  "customerKey",
  "partnerId",
  "partnerCode",
  "status",
  "unconfirmed",
  "held",
  "amountCents",
  "currency",
  "holdUntil",
  "createdAt",
  "inPayout",
  "source",
  "sub",
  "ref",
  "explanation",
);

interface NamedCommission extends ReviewedCommission {
  readonly ref: string;
}

interface ReviewedCommission extends CommissionView {
  readonly heldSince: number | null;
  readonly reasons: ReviewReason[];
  readonly appliedRateBps: number | null;
}

/** Adds the texts of the review reasons, and the rate that gave the amount. */
export const reviewed = (view: CommissionView): ReviewedCommission => ({
  ...view,
  heldSince: view.held ? view.heldAt : null,
  reviewUntil: view.held ? view.reviewUntil : null,
  reasons: (view.reviews ?? []).map((review) => reviewReason(review, view.soldAt)),
  appliedRateBps: appliedRateBps(view.explanation),
});

type CommissionColumns = ExportColumns<NamedCommission>;

/**
 * Columns of the CSV files. `api` has names and values as in the API. `accounting` is for spreadsheets, with decimal
 * amounts.
 */
export const commissionColumns = {
  api: (): CommissionColumns => ({ ...apiColumns, explanation: (row) => JSON.stringify(explanation(row)) }),
  accounting: (timezone: string): CommissionColumns => ({
    sale_date: ({ saleDate }) => saleDate,
    order_id: ({ transactionId }) => transactionId,
    customer: ({ customerKey }) => customerKey,
    partner_name: ({ partnerName }) => partnerName,
    partner_code: ({ partnerCode }) => partnerCode,
    sale_amount: ({ saleAmountCents, saleCurrency }) => amountCell(saleAmountCents, saleCurrency),
    sale_refunded: ({ saleRefundedCents, saleCurrency }) => amountCell(saleRefundedCents, saleCurrency),
    currency: ({ currency }) => currency,
    rate_percent: ({ appliedRateBps: rateBps }) => rateBps && rateBps / 100,
    commission: ({ initialCents, currency }) => amountCell(initialCents, currency),
    commission_net: ({ amountCents, currency }) => amountCell(amountCents, currency),
    status: ({ status }) => status,
    reason: ({ reason }) => reason,
    approved_at: ({ approvedAt }) => timestampOrNull(approvedAt),
    paid_at: ({ paidAt }) => timestampOrNull(paidAt),
    payout_reference: ({ payoutReference }) => payoutReference,
    commission_id: ({ id }) => id,
    sub: ({ sub }) => sub,
    ref: ({ ref }) => ref,
    correction: ({ corrected, isCorrection }) => (corrected ? "replaced" : isCorrection ? "replacement" : null),
    approved_date: ({ approvedAt }) => dayOrNull(timezone, approvedAt),
    paid_date: ({ paidAt }) => dayOrNull(timezone, paidAt),
    time_zone: () => timezone,
    sale_currency: ({ saleCurrency }) => saleCurrency,
  }),
};

const dayOrNull = (timezone: string, at: number | null): string | null => (at === null ? null : dayIn(timezone, at));

// Filters shared by the list, its totals and bulk decisions.

export const bookField = () =>
  fields
    .oneOf("test", ["exclude", "only"])
    .default("exclude")
    .openapi({ description: "`only` selects the commissions of test sales. They never appear with live ones." });

export const saleDayFields = () => ({
  dateFrom: day("dateFrom")
    .optional()
    .describe("Limits the result to commissions for sales from this day on, in the program's time zone."),
  dateTo: day("dateTo").optional().describe("Limits the result to commissions for sales up to this day, inclusive."),
});

export const payoutId = () =>
  fields
    .programId("payoutId")
    .optional()
    .openapi({ description: "Limits the result to the commissions that this payout has reserved or paid." });

interface SaleDays {
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

export const saleDaysOf = ({ dateFrom, dateTo }: SaleDays): Days | undefined =>
  dateFrom === undefined && dateTo === undefined
    ? undefined
    : { from: dateFrom ?? "1970-01-01", to: dateTo ?? "9999-12-31" };

export const filterFields = () => ({
  status: fields
    .oneOf("status", shownStatuses)
    .optional()
    .openapi({ description: "Defaults to every status except `void`." }),
  partnerId: partnerId(),
  payoutId: payoutId(),
  currency: currencyOrUnit().optional(),
  ...saleDayFields(),
  saleId: narrowing.saleId(),
  commissionId: narrowing.commissionId(),
  transactionId: narrowing.transactionId(),
  customerKey: narrowing.customerKey(),
});

export const unconfirmedText =
  "Limits the result to commissions whose attribution only a browser reported. With `status=pending`: those that wait for a confirmation.";

type Filters = Partial<Omit<CommissionFilter, "days" | "narrowing">> &
  SaleDays &
  Parameters<typeof narrowing.narrowingOf>[0];

export const filterOf = ({
  status,
  partnerId,
  payoutId,
  currency,
  reason,
  isUnconfirmed,
  isHeld,
  isInPayout,
  flag,
  ...others
}: Filters): CommissionFilter => ({
  status,
  partnerId,
  payoutId,
  currency,
  reason,
  isUnconfirmed,
  isHeld,
  isInPayout,
  flag,
  days: saleDaysOf(others),
  narrowing: narrowing.narrowingOf(others),
});

export async function readCommission(
  c: Ctx,
  programId: ProgramId,
  commissionId: CommissionId,
): Promise<Result<ReturnType<typeof commissionRecord.reply>>> {
  const found = await readFromDatabase(c, "program", (database) => findCommission(database, programId, commissionId));
  if (!found.ok) return found;
  return found.value
    ? ok(commissionRecord.reply(refAdder(c, programId)(reviewed(found.value))))
    : refused(notFound("commission"));
}
