import "./selection-bar.css";
import type { ComponentChildren, JSX } from "preact";
import { Count } from "./numbers.tsx";
import { ShortcutsSaid } from "./shortcuts.tsx";

interface SelectionBarProps {
  readonly count: number;
  readonly details?: ComponentChildren;
  /** The action of each key on the selection. False if the key doesn't apply. */
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
