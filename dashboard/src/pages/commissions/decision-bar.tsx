import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { mayApprove } from "./decide.ts";
import type { Commission } from "./queries.ts";
import { Totals } from "./totals.tsx";

interface DecisionBarProps {
  readonly selected: readonly Commission[];
  readonly isPending: boolean;
  readonly onApprove: () => void;
  readonly onReject: () => void;
  readonly onAll: (() => void) | undefined;
  readonly onClear: () => void;
}

export function DecisionBar(props: DecisionBarProps): JSX.Element {
  const { selected, isPending, onApprove, onReject, onAll, onClear } = props;
  const approvable = selected.filter(mayApprove).length;
  return (
    <section class="commission-bar row spread" aria-label="Selection">
      <p role="status">
        <strong>{selected.length} selected</strong> <Totals of={selected} />
      </p>
      <div class="row">
        {approvable > 0 && (
          <Button look="primary" isPending={isPending} onClick={onApprove}>
            Approve {approvable}
          </Button>
        )}
        <Button look="danger" isPending={isPending} onClick={onReject}>
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
}
