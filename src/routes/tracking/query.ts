import * as wire from "../../http/wire.ts";
import * as z from "../../http/zod.ts";

const isDay = (text: string): boolean => {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return at >= 0 && new Date(at).toISOString().startsWith(text);
};

/** A calendar day in the program's time zone. */
export const day = (field: string) => {
  const message = `${field} must be a day from 1970 on: YYYY-MM-DD`;
  return z.string(message).refine(isDay, message).openapi({ format: "date", example: "2026-03-01" });
};

interface DateRange {
  readonly dateFrom?: unknown;
  readonly dateTo?: unknown;
}

/** For `refine`. What is no day has a fault of its own. */
export const inOrder = wire.rule(
  ["dateFrom"],
  "dateFrom must not be after dateTo",
  ({ dateFrom, dateTo }: DateRange) =>
    typeof dateFrom !== "string" ||
    typeof dateTo !== "string" ||
    !isDay(dateFrom) ||
    !isDay(dateTo) ||
    dateFrom <= dateTo,
);

/** Partners are not looked up: one of another program is one that nothing came from. */
export const partnerId = () =>
  wire.programId("partnerId").optional().openapi({ description: "What came from this partner alone." });
