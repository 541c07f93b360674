import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { formatDate } from "../format.ts";
import { isDay } from "../is-day.ts";

type Options = readonly (readonly [value: string, label: string])[];

export interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

interface FiltersProps {
  readonly children: ComponentChildren;
  /**
   * On a phone, shows two filters per row, so that a filter that appears later fills a free place and moves no other
   * filter.
   */
  readonly isPaired?: boolean;
}

export const Filters = ({ children, isPaired = false }: FiltersProps): JSX.Element => (
  <search class={isPaired ? "filters paired" : "filters"}>{children}</search>
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

interface DayFilterProps extends Pick<FilterProps, "label" | "value"> {
  readonly isRequired?: boolean;
  /** `history` is "replace" while the field has the focus, so that Back skips the values that were tried in it. */
  readonly onChoose: (day: string, history: "push" | "replace") => void;
}

/**
 * A filter by a day. Typing passes through other days ("0002", "0020"), so a typed day counts only on Enter or blur.
 */
export function DayFilter({ label, value, isRequired = false, onChoose }: DayFilterProps): JSX.Element {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const isTyping = useRef(false);
  const chosen = useRef({ day: value, isAgain: false });
  const show = () => {
    if (field.current !== null) field.current.value = value;
  };
  // Sets the field in the same frame as the rest of the page, since another filter may have set the day.
  useLayoutEffect(() => {
    chosen.current.day = value;
    if (!isTyping.current) show();
  }, [value]);
  const choose = ({ value: day, validity }: HTMLInputElement) => {
    isTyping.current = false;
    if (!validity.valid || day === chosen.current.day) return;
    onChoose(day, chosen.current.isAgain ? "replace" : "push");
    chosen.current = { day, isAgain: true };
  };
  return (
    <span class={value === "" ? "day-filter unset" : "day-filter"}>
      <label for={id}>{label}</label>
      <span class="print-only">{isDay(value) && formatDate(value)}</span>
      <input
        ref={field}
        id={id}
        type="date"
        class="control"
        required={isRequired}
        min="1970-01-01"
        max="9999-12-31"
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Enter") choose(currentTarget);
          else if (key !== "Tab") isTyping.current = true;
        }}
        onChange={({ currentTarget }) => isTyping.current || choose(currentTarget)}
        onBlur={({ currentTarget }) => {
          choose(currentTarget);
          if (!currentTarget.validity.valid) show();
          chosen.current.isAgain = false;
        }}
      />
    </span>
  );
}
