import "./selection-bar.css";
import type { ComponentChildren, JSX } from "preact";
import { Count } from "./numbers.tsx";
import { ShortcutsSaid } from "./shortcuts.tsx";

interface SelectionBarProps {
  readonly count: number;
  readonly details?: ComponentChildren;
  /** For each shortcut, what it does with the selection, such as "approve". False if the shortcut doesn't apply. */
  readonly verbs: Readonly<Record<string, string | false>>;
  /** The buttons of the bar. */
  readonly children: ComponentChildren;
}

export const SelectionBar = ({ count, details, verbs, children }: SelectionBarProps): JSX.Element => (
  <section class="selection-bar row spread" aria-label="Selection">
    <p role="status">
      <strong>
        <Count of={count} /> selected
      </strong>{" "}
      {details}
      <ShortcutsSaid verbs={verbs} />
    </p>
    <div class="row">{children}</div>
  </section>
);
