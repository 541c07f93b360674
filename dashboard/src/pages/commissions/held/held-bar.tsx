import type { JSX } from "preact";
import { Button } from "../../../components/button.tsx";
import { SelectionBar } from "../../../components/selection-bar.tsx";
import type { Commission } from "../queries.ts";
import { Totals } from "../totals.tsx";
import type { Verb } from "./held-card.tsx";

interface HeldBarProps {
  readonly selected: readonly Commission[];
  readonly isPending: boolean;
  readonly onDecide: (verb: Verb) => void;
  readonly onAll: (() => void) | undefined;
  readonly onClear: () => void;
}

export const HeldBar = ({ selected, isPending, onDecide, onAll, onClear }: HeldBarProps): JSX.Element => (
  <SelectionBar count={selected.length} details={<Totals of={selected} />} verbs={{ A: "release", R: "reject" }}>
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
  </SelectionBar>
);
