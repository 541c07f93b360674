import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { type Decidable, type Decide, isUnconfirmed } from "./decide.ts";
import { Totals } from "./totals.tsx";

interface ApproveDialogProps {
  readonly commissions: readonly Decidable[];
  readonly decide: Decide;
  readonly onClose: () => void;
}

export function ApproveDialog({ commissions, decide, onClose }: ApproveDialogProps): JSX.Element {
  const what = commissions.length === 1 ? "commission" : `${commissions.length} commissions`;
  const unconfirmed = commissions.filter(isUnconfirmed).length;
  return (
    <Dialog title={`Approve ${what}?`} onClose={onClose}>
      <p class="soft">
        <Totals of={commissions} /> can be paid out without waiting for the end of the hold period.
      </p>
      {unconfirmed > 0 && (
        <p>
          {unconfirmed === commissions.length ? "" : `${unconfirmed} of them: `}Only a browser reported the click.
          Approving the commission confirms its customer, and with them all of their unconfirmed commissions.
        </p>
      )}
      <div class="row">
        <Button
          look="primary"
          isPending={decide.isPending}
          onClick={() => decide.run({ verb: "approve", commissions })}
        >
          Approve {what}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
