import type { JSX } from "preact";
import { errorMessage } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";
import { type DecisionDialogProps, isUnconfirmed, sizeOf } from "./decide.ts";
import { DecisionProgress } from "./progress.tsx";
import { countOf, onlyUnconfirmed } from "./queries.ts";
import { Totals } from "./totals.tsx";

export function ApproveDialog({ asked, decide, onClose }: DecisionDialogProps): JSX.Element {
  const { commissions, matching } = asked;
  const size = sizeOf(asked);
  const what = size === 1 ? "commission" : `${size} commissions`;
  const unconfirmed =
    matching === undefined ? commissions.filter(isUnconfirmed).length : countOf(onlyUnconfirmed(matching.totals));
  return (
    <Dialog title={`Approve ${what}?`} onClose={onClose}>
      <p class="soft">
        <Totals of={matching?.totals ?? commissions} /> can be paid out without waiting for the end of the hold period.
        You can't put {size === 1 ? "it" : "them"} on hold again, only reject {size === 1 ? "it" : "them"}.
      </p>
      {unconfirmed > 0 && (
        <p>
          {unconfirmed === size ? "" : `${unconfirmed} of them: `}Only a browser reported the click. Approving the
          commission confirms its customer, and with them all of their unconfirmed commissions.
        </p>
      )}
      {decide.failure && <Notice look="bad">{errorMessage(decide.failure)}</Notice>}
      <DecisionProgress decide={decide} />
      <div class="row">
        <Button look="primary" isPending={decide.isPending} onClick={() => decide.run(asked)}>
          Approve {what}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
