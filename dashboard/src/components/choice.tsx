import type { JSX } from "preact";

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChoose: (value: string) => void;
}

/** One of a few: it takes effect when it is chosen. */
export const Choice = ({ label, value, options, onChoose }: ChoiceProps): JSX.Element => (
  <label class="choice">
    <span>{label}</span>
    <select class="control" value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {options.map(([option, title]) => (
        <option key={option} value={option} selected={option === value}>
          {title}
        </option>
      ))}
    </select>
  </label>
);
