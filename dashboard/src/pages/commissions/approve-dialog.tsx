import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { errorMessage } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";
import { type Decidable, type DecisionDialogProps, isUnconfirmed, sizeOf } from "./decide.ts";
import { DecisionProgress } from "./progress.tsx";
import { countOf, onlyUnconfirmed } from "./queries.ts";
import { Totals } from "./totals.tsx";

const isFlagged = ({ held, reasons = [] }: Decidable): boolean => !held && reasons.length > 0;

export function ApproveDialog({ asked, decide, onClose }: DecisionDialogProps): JSX.Element {
  const { matching } = asked;
  const [leavesFlagged, setLeavesFlagged] = useState(false);
  const flagged = matching === undefined ? asked.commissions.filter(isFlagged) : [];
  const commissions = leavesFlagged ? asked.commissions.filter((each) => !isFlagged(each)) : asked.commissions;
  const wanted = { ...asked, commissions };
  const size = sizeOf(wanted);
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
      {flagged.length > 0 && (
        <div class="notice warn">
          <p>
            {flagged.length === asked.commissions.length ? "Flagged" : `${flagged.length} of them flagged`}:{" "}
            {flagged.map(({ transactionId }) => transactionId).join(", ")}.{" "}
            {[...new Set(flagged.flatMap(({ reasons = [] }) => reasons.map(({ text }) => text)))].slice(0, 3).join(" ")}
          </p>
          {flagged.length < asked.commissions.length && (
            <label class="row">
              <input
                type="checkbox"
                checked={leavesFlagged}
                onChange={(event) => setLeavesFlagged(event.currentTarget.checked)}
              />{" "}
              Leave the flagged ones out
            </label>
          )}
        </div>
      )}
      {decide.failure && <Notice look="bad">{errorMessage(decide.failure)}</Notice>}
      <DecisionProgress decide={decide} />
      <div class="row">
        <Button look="primary" isPending={decide.isPending} onClick={() => decide.run(wanted)}>
          Approve {what}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
