import type { JSX } from "preact";
import { Field } from "../../components/form.tsx";

interface ControlProps<Value extends string> {
  readonly name: string;
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

interface ChoiceProps<Value extends string> extends ControlProps<Value> {
  readonly options: readonly (readonly [value: Value, title: string])[];
}

/** A select that is one word of a sentence. */
export const Choice = <Value extends string>({
  options,
  value,
  onChange,
  ...field
}: ChoiceProps<Value>): JSX.Element => (
  <Field
    {...field}
    isLabelUnseen
    control={(wiring) => (
      <select {...wiring} class="control" onInput={({ currentTarget }) => onChange(currentTarget.value as Value)}>
        {options.map(([option, title]) => (
          <option key={option} value={option} selected={option === value}>
            {title}
          </option>
        ))}
      </select>
    )}
  />
);

interface TypedProps extends ControlProps<string> {
  readonly unit?: string;
  readonly inputMode?: "numeric" | "decimal";
  readonly placeholder?: string;
  readonly isRequired?: boolean;
}

export const Typed = ({
  unit,
  inputMode,
  placeholder,
  isRequired = false,
  value,
  onChange,
  ...field
}: TypedProps): JSX.Element => (
  <Field
    {...field}
    isLabelUnseen
    control={(wiring) => (
      <span class="with-unit">
        <input
          {...wiring}
          {...(inputMode && { inputMode })}
          {...(placeholder && { placeholder })}
          required={isRequired}
          class="control"
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
        {unit && <span class="unit">{unit}</span>}
      </span>
    )}
  />
);
