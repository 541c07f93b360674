import { shownStatuses } from "#domain/commission-status.ts";
import type { Days } from "#domain/performance.ts";
import * as fields from "#http/schema/form-fields.ts";
import type { CommissionFilter } from "#store/views/commission-list.ts";
import * as narrowing from "../narrowing.ts";
import { day, partnerId } from "../reports/query.ts";

// Filters that the list, its totals and decisions in bulk share.

export const bookField = () =>
  fields
    .oneOf("test", ["exclude", "only"])
    .default("exclude")
    .openapi({ description: "`only` selects the commissions of test sales. They never appear with live ones." });

export const saleDayFields = () => ({
  dateFrom: day("dateFrom").optional().describe("First day of the sales, in the program's time zone."),
  dateTo: day("dateTo").optional().describe("Last day of the sales, inclusive."),
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
  currency: fields.currency("currency").optional(),
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
  flag,
  ...others
}: Filters): CommissionFilter => ({
  ...{ status, partnerId, payoutId, currency, reason, isUnconfirmed, isHeld, flag },
  ...{ days: saleDaysOf(others), narrowing: narrowing.narrowingOf(others) },
});
