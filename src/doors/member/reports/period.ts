import { type Days, daysBefore, daysEnding } from "#domain/performance.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { day } from "./query.ts";

/** The part of a reply's `meta` that all reports of a period have. */
export const periodMeta = {
  period: z.enum(["7d", "30d", "90d", "all", "custom"]),
  currency: z.string(),
  otherCurrencies: z
    .array(z.string())
    .describe("Other currencies with amounts in the range. Amounts are never converted."),
  timezone: z.string(),
};

const lengths = { "7d": 7, "30d": 30, "90d": 90 } as const;
export const maxDays = 1_100;

type Range = { readonly dateFrom?: string | undefined; readonly dateTo?: string | undefined };

export const periodFields = () => ({
  period: fields.oneOf("period", ["7d", "30d", "90d", "all"]).default("7d").openapi({
    description: "Number of days, ending today. `all` begins with the first day that has data.",
  }),
  dateFrom: day("dateFrom")
    .optional()
    .describe("First day of the range, together with `dateTo`. Takes precedence over `period`."),
  dateTo: day("dateTo").optional().describe("Last day of the range, inclusive."),
});

export const bothDays = (first = "dateFrom", last = "dateTo") =>
  fields.rule(
    [first],
    `${first} and ${last} must be sent together`,
    (query: Readonly<Record<string, unknown>>) => (query[first] === undefined) === (query[last] === undefined),
  );

export const ever: Days = { from: "0000-01-01", to: "9999-12-31" };

export interface Period {
  readonly period: "7d" | "30d" | "90d" | "all" | "custom";
  readonly days: Days;
  readonly previous: Days | undefined;
}

export interface PeriodQuery extends Range {
  readonly period: Exclude<Period["period"], "custom">;
}

export function rangeOf({ period, dateFrom: from, dateTo: to }: PeriodQuery, today: string): Period {
  if (from !== undefined && to !== undefined) return compared("custom", { from, to });
  if (period === "all") return { period, days: ever, previous: undefined };
  return compared(period, daysEnding(today, lengths[period]));
}

const compared = (period: Period["period"], days: Days): Period => ({ period, days, previous: daysBefore(days) });

/** `all` starts with the first day that has figures. It can end after today if the time zone was changed. */
export function daysShown(days: Days, counted: readonly { readonly day: string }[], today: string): Days {
  if (days !== ever) return days;
  const last = counted.at(-1)?.day ?? today;
  return { from: counted[0]?.day ?? today, to: last > today ? last : today };
}
