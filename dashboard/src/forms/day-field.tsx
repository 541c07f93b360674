import type { JSX } from "preact";
import { Field } from "../components/form.tsx";

interface DayFieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** For example "2026-03-01". */
  readonly value?: string;
  readonly max?: string;
  readonly isOptional?: boolean;
}

export const DayField = ({ value, max, ...field }: DayFieldProps): JSX.Element => (
  <Field
    {...field}
    control={(wiring) => (
      <input {...wiring} type="date" class="control" defaultValue={value} min="1970-01-01" max={max ?? "9999-12-31"} />
    )}
  />
);
