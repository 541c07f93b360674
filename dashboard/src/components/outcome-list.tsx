import "./outcome-list.css";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Notice } from "./notice.tsx";

export interface Refused {
  readonly name: string;
  readonly refusal: string;
}

interface OutcomeListProps {
  /** The result of the last change. A new result takes focus, since the buttons that had it are gone. */
  readonly result: object | undefined;
  readonly refused: readonly Refused[];
  readonly children: ComponentChildren;
  /** Shown after the list. */
  readonly action?: ComponentChildren;
  readonly isIncomplete?: boolean;
}

const maxNamed = 3;

/** The outcome of a change to many rows, with the reasons of those that failed. */
export function OutcomeList({
  result,
  refused,
  children,
  action,
  isIncomplete = false,
}: OutcomeListProps): JSX.Element | null {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (result !== undefined) container.current?.focus();
  }, [result]);
  if (result === undefined) return null;
  return (
    <div ref={container} tabIndex={-1} class="outcomes">
      <Notice look={refused.length === 0 && !isIncomplete ? "good" : "warn"}>
        {children}
        {refused.length > 0 && (
          <ul class="outcomes">
            {grouped(refused).map(([refusal, names]) => (
              <li key={refusal}>
                <strong>{names.length > maxNamed ? `${names.length} of them` : names.join(", ")}</strong>: {refusal}
              </li>
            ))}
          </ul>
        )}
        {action}
      </Notice>
    </div>
  );
}

/** Groups refusals with the same text, so that they are shown as one line with all their names. */
const grouped = (refused: readonly Refused[]): readonly (readonly [text: string, names: readonly string[]])[] =>
  [...Map.groupBy(refused, ({ refusal }) => refusal)].map(([text, those]) => [text, those.map(({ name }) => name)]);
