import { countDays, type Days, daysBefore, daysEnding } from "#domain/performance.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";

/** The part of `meta` that all reports for a period contain. */
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

type DayRange = { readonly dateFrom?: string | undefined; readonly dateTo?: string | undefined };

export const periodFields = (first = "dateFrom", last = "dateTo") => ({
  period: fields.oneOf("period", ["7d", "30d", "90d", "all"]).default("7d").openapi({
    description: "Number of days, ending today. `all` begins with the first day that has data.",
  }),
  dateFrom: day(first)
    .optional()
    .describe(`First day of the range, together with \`${last}\`. Takes precedence over \`period\`.`),
  dateTo: day(last).optional().describe("Last day of the range, inclusive."),
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

export interface PeriodQuery extends DayRange {
  readonly period: Exclude<Period["period"], "custom">;
}

export function rangeOf({ period, dateFrom: from, dateTo: to }: PeriodQuery, today: string): Period {
  if (from !== undefined && to !== undefined) return compared("custom", { from, to });
  if (period === "all") return { period, days: ever, previous: undefined };
  return compared(period, daysEnding(today, lengths[period]));
}

const compared = (period: Period["period"], days: Days): Period => ({ period, days, previous: daysBefore(days) });

/**
 * For the period `all`, the first day is the first one with figures. The last day can be after today if the program's
 * time zone was changed.
 */
export function daysShown(days: Days, counted: readonly { readonly day: string }[], today: string): Days {
  if (days !== ever) return days;
  const last = counted.at(-1)?.day ?? today;
  return { from: counted[0]?.day ?? today, to: last > today ? last : today };
}

function isDay(text: unknown): text is string {
  if (typeof text !== "string" || !/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return at >= 0 && new Date(at).toISOString().startsWith(text);
}

export const day = (field: string) => {
  const message = `${field} must be a date in the form YYYY-MM-DD, not before 1970`;
  return z.string(message).refine(isDay, message).openapi({ format: "date", example: "2026-03-01" });
};

type Fields = Readonly<Record<string, unknown>>;

/** Arguments for `refine`. The rule accepts an invalid day, because the day's own field already reports the error. */
const ofRange = (first: string, last: string, message: string, holds: (days: Days) => boolean) =>
  fields.rule(
    [first],
    message,
    ({ [first]: from, [last]: to }: Fields) => !isDay(from) || !isDay(to) || holds({ from, to }),
  );

export const inOrder = (first = "dateFrom", last = "dateTo") =>
  ofRange(first, last, `${first} must not be after ${last}`, ({ from, to }) => from <= to);

export const ofDays = (max: number, first = "dateFrom", last = "dateTo") =>
  ofRange(first, last, `${first} and ${last} must not span more than ${max} days`, (days) => countDays(days) <= max);

export const partnerSearch = () =>
  fields.callerId("search").optional().openapi({
    description:
      "Limits the result to partners whose name, code or, for owners and admins, email address contains this text.",
  });

export const partnerId = () =>
  fields.programId("partnerId").optional().openapi({ description: "Limits the result to this partner." });

export const groupId = () =>
  fields.programId("groupId").optional().openapi({ description: "Limits the result to this group." });
