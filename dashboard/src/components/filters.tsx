import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

type Options = readonly (readonly [value: string, label: string])[];

export interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

export const Filters = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <search class="filters">{children}</search>
);

export const Segments = ({
  label,
  value,
  options,
  onChoose,
}: FilterProps & { readonly options: Options }): JSX.Element => (
  <fieldset class="segments" aria-label={label}>
    {options.map(([option, title]) => (
      <button key={option} type="button" aria-pressed={option === value} onClick={() => onChoose(option)}>
        {title}
      </button>
    ))}
  </fieldset>
);

export const SelectFilter = ({
  label,
  value,
  options,
  onChoose,
}: FilterProps & { readonly options: Options }): JSX.Element => (
  <select
    class="control filter"
    aria-label={label}
    value={value}
    onChange={(event) => onChoose(event.currentTarget.value)}
  >
    {options.map(([option, title]) => (
      <option key={option} value={option}>
        {title}
      </option>
    ))}
  </select>
);

export function DayFilter({ label, value, onChoose }: FilterProps): JSX.Element {
  const id = useId();
  return (
    <span class="day-filter">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        class="control"
        value={value}
        min="1970-01-01"
        max="9999-12-31"
        onChange={(event) => onChoose(event.currentTarget.value)}
      />
    </span>
  );
}
