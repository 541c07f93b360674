import type { JSX } from "preact";
import { dayIn, endOfDay, startOfDay } from "#domain/calendar.ts";
import { filled, type Values } from "../../../components/form.tsx";
import { zoneTitle } from "../../../format-time.ts";
import { DayField } from "../../../forms/day-field.tsx";
import { useProgram } from "../../../session.tsx";
import type { Coupon } from "./queries.ts";

type Ends = Pick<Coupon, "validFrom" | "validUntil">;

const always: Ends = { validFrom: null, validUntil: null };

export function ValidityFields({ saved = always }: { readonly saved?: Ends }): JSX.Element {
  const { timezone } = useProgram().program;
  const { validFrom = "", validUntil = "" } = daysOf(saved, timezone);
  return (
    <div class="columns">
      <DayField
        name="validFrom"
        label="First day"
        value={validFrom}
        hint={`Of sales, in ${zoneTitle(timezone)}.`}
        isOptional
      />
      <DayField name="validUntil" label="Last day" value={validUntil} isOptional />
    </div>
  );
}

const dayOf = (instant: string | null, timezone: string): string | undefined =>
  instant === null ? undefined : dayIn(timezone, Date.parse(instant));

const daysOf = ({ validFrom, validUntil }: Ends, timezone: string) => ({
  validFrom: dayOf(validFrom, timezone),
  validUntil: dayOf(validUntil, timezone),
});

/**
 * The first and last instants that the user has changed. The API may have set one to any time of a day: it stays
 * unchanged if the user doesn't change its day.
 */
export function changedEnds(entered: Values, timezone: string, saved = always): Partial<Ends> {
  const days = daysOf(saved, timezone);
  const [first, last] = [filled(entered.validFrom), filled(entered.validUntil)];
  return {
    ...(first !== days.validFrom && { validFrom: first === undefined ? null : text(startOfDay(timezone, first)) }),
    ...(last !== days.validUntil && { validUntil: last === undefined ? null : text(endOfDay(timezone, last) - 1) }),
  };
}

/** The entered beginning and end. Null for an empty field. */
export const enteredEnds = (entered: Values, timezone: string): Ends => ({
  ...always,
  ...changedEnds(entered, timezone),
});

/** The entered validity, with the field names of the import. */
export function validityOf(entered: Values, timezone: string) {
  const { validFrom, validUntil } = changedEnds(entered, timezone);
  return { ...(validFrom && { valid_from: validFrom }), ...(validUntil && { valid_until: validUntil }) };
}

const text = (at: number): string => new Date(at).toISOString();
