import { countDays, type Days } from "#domain/performance.ts";
import * as fields from "#http/schema/fields.ts";
import * as z from "#http/schema/zod.ts";

function isDay(text: unknown): text is string {
  if (typeof text !== "string" || !/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return at >= 0 && new Date(at).toISOString().startsWith(text);
}

export const day = (field: string) => {
  const message = `${field} must be a date in the form YYYY-MM-DD, not before 1970`;
  return z.string(message).refine(isDay, message).openapi({ format: "date", example: "2026-03-01" });
};

type Range = Readonly<Record<string, unknown>>;

/** Arguments of `refine`. Passes if a day is invalid, which has its own error. */
const ofRange = (first: string, last: string, message: string, holds: (days: Days) => boolean) =>
  fields.rule(
    [first],
    message,
    ({ [first]: from, [last]: to }: Range) => !isDay(from) || !isDay(to) || holds({ from, to }),
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
