import type { Days } from "../../../domain/performance.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import { day } from "../reports/query.ts";

// Filters that the list and its totals share.

export const bookField = () =>
  fields
    .oneOf("test", ["exclude", "only"])
    .default("exclude")
    .openapi({ description: "`only` selects the commissions of test sales. They never appear with live ones." });

export const saleDayFields = () => ({
  dateFrom: day("dateFrom").optional().describe("First day of the sales, in the program's time zone."),
  dateTo: day("dateTo").optional().describe("Last day of the sales, inclusive."),
});

interface SaleDays {
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

export const saleDaysOf = ({ dateFrom, dateTo }: SaleDays): Days | undefined =>
  dateFrom === undefined && dateTo === undefined
    ? undefined
    : { from: dateFrom ?? "1970-01-01", to: dateTo ?? "9999-12-31" };
