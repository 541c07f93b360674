import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface SubFilterProps {
  readonly value: string;
  readonly onChoose: (sub: string) => void;
}

/** A filter by sub-ID. A typed text counts on Enter, or when the field is left. */
export function SubFilter({ value, onChoose }: SubFilterProps): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current !== null) field.current.value = value;
  }, [value]);
  return (
    <input
      ref={field}
      class="control filter"
      type="search"
      aria-label="Sub-ID"
      placeholder="Sub-ID"
      maxLength={64}
      spellcheck={false}
      onChange={({ currentTarget }) => onChoose(currentTarget.value.trim())}
    />
  );
}
