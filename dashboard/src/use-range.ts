import { dayIn } from "#domain/calendar.ts";
import type { Days } from "#domain/performance.ts";
import { comparisonOf, daysToCompare, type Range, rangeOf } from "./period.ts";
import { useProgram } from "./session.tsx";
import type { Filters } from "./url.ts";

/** The period and the one to compare it with, as days in the program's time zone. */
export function useRange(filters: Filters): Range & { readonly before: Days | undefined } {
  const { program } = useProgram();
  const range = rangeOf(filters, dayIn(program.timezone, Date.now()));
  return { ...range, before: daysToCompare(range, comparisonOf(filters)) };
}
