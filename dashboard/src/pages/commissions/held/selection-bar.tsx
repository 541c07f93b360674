import type { JSX } from "preact";
import { Button } from "../../../components/button.tsx";
import { ShortcutsSaid } from "../../../components/shortcuts.tsx";
import type { Commission } from "../queries.ts";
import { Totals } from "../totals.tsx";
import type { Verb } from "./held-card.tsx";

interface SelectionBarProps {
  readonly selected: readonly Commission[];
  readonly isPending: boolean;
  readonly onDecide: (verb: Verb) => void;
  readonly onAll: (() => void) | undefined;
  readonly onClear: () => void;
}

export const SelectionBar = ({ selected, isPending, onDecide, onAll, onClear }: SelectionBarProps): JSX.Element => (
  <section class="commission-bar row spread" aria-label="Selection">
    <p role="status">
      <strong>{selected.length} selected</strong> <Totals of={selected} />
      <ShortcutsSaid verbs={{ A: "release", R: "reject" }} />
    </p>
    <div class="row">
      <Button look="primary" shortcut="A" isPending={isPending} onClick={() => onDecide("release")}>
        Release {selected.length}…
      </Button>
      <Button look="danger" shortcut="R" isPending={isPending} onClick={() => onDecide("reject")}>
        Reject {selected.length}…
      </Button>
      {onAll && (
        <Button look="quiet" onClick={onAll}>
          Select all
        </Button>
      )}
      <Button look="quiet" onClick={onClear}>
        Clear selection
      </Button>
    </div>
  </section>
);
