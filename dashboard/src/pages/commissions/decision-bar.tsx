import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { SelectionBar } from "../../components/selection-bar.tsx";
import { type Matching, mayApprove, mayHold } from "./decide.ts";
import type { Commission } from "./queries.ts";
import { Totals } from "./totals.tsx";

interface DecisionBarProps {
  readonly selected: readonly Commission[];
  /** Set if the selection goes beyond the page. */
  readonly matching: Matching | undefined;
  /** Number of commissions that the filters show, if there are more than the page has. Otherwise undefined. */
  readonly beyondPage: number | undefined;
  readonly onMatching: () => void;
  readonly isPending: boolean;
  readonly onApprove: () => void;
  readonly onReject: () => void;
  /** Holds the selected commissions. Not available for a selection beyond the page. */
  readonly onHold: () => void;
  readonly onAll: (() => void) | undefined;
  readonly onClear: () => void;
}

export function DecisionBar(props: DecisionBarProps): JSX.Element {
  const { selected, matching, beyondPage, isPending, onApprove, onReject, onHold, onAll, onMatching, onClear } = props;
  const size = matching?.count ?? selected.length;
  const approvable = matching === undefined ? selected.filter(mayApprove).length : selected.some(mayApprove) ? size : 0;
  const holdable = selected.filter(mayHold).length;
  const holds = matching === undefined && holdable > 0;
  return (
    <SelectionBar
      count={size}
      details={<Totals of={matching?.totals ?? selected} />}
      verbs={{ A: approvable > 0 && "approve", R: "reject", H: holds && "hold" }}
    >
      {approvable > 0 && (
        <Button look="primary" shortcut="A" isPending={isPending} onClick={onApprove}>
          Approve {approvable}
        </Button>
      )}
      <Button look="danger" shortcut="R" isPending={isPending} onClick={onReject}>
        Reject {size}…
      </Button>
      {holds && (
        <Button shortcut="H" isPending={isPending} onClick={onHold}>
          Hold {holdable}…
        </Button>
      )}
      {onAll && (
        <Button look="quiet" onClick={onAll}>
          Select all
        </Button>
      )}
      {!onAll && matching === undefined && beyondPage !== undefined && (
        <Button look="quiet" onClick={onMatching}>
          Select all {beyondPage} that match
        </Button>
      )}
      <Button look="quiet" onClick={onClear}>
        Clear selection
      </Button>
    </SelectionBar>
  );
}
