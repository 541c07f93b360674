import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { errorMessage } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";
import { type Decidable, type Decision, type DecisionDialogProps, isUnconfirmed, sizeOf } from "./decide.ts";
import { DecisionProgress } from "./progress.tsx";
import { countOf, onlyUnconfirmed, useFlagged } from "./queries.ts";
import { Totals } from "./totals.tsx";

const maxNamed = 10;

const isFlagged = ({ held, reasons = [] }: Decidable): boolean => !held && reasons.length > 0;

/** The requested decision without the flagged commissions. */
function withoutFlagged(asked: Decision, flagged: readonly Decidable[]): Decision {
  const { matching } = asked;
  const commissions = asked.commissions.filter((each) => !isFlagged(each));
  if (matching === undefined) return { ...asked, commissions };
  return {
    ...asked,
    commissions,
    matching: { ...matching, count: matching.count - flagged.length, leavesFlagged: true },
  };
}

function amountsOf({ commissions, matching }: Decision, flagged: readonly Decidable[]) {
  if (matching === undefined) return commissions;
  const leftOut = matching.leavesFlagged === true ? flagged : [];
  return [...matching.totals, ...leftOut.map(({ currency, amountCents }) => ({ currency, amountCents: -amountCents }))];
}

export function ApproveDialog({ asked, decide, onClose }: DecisionDialogProps): JSX.Element {
  const { matching } = asked;
  const [leavesFlagged, setLeavesFlagged] = useState(false);
  const beyond = useFlagged(matching?.filters).data;
  const flagged = matching === undefined ? asked.commissions.filter(isFlagged) : (beyond?.data ?? []);
  // The number of flagged commissions on other pages is unknown.
  const hasMore = matching !== undefined && beyond?.meta.nextCursor != null;
  const all = sizeOf(asked);
  const wanted = leavesFlagged ? withoutFlagged(asked, flagged) : asked;
  const { commissions } = wanted;
  const size = sizeOf(wanted);
  const what = size === 1 ? "commission" : `${size} commissions`;
  const unconfirmed =
    matching === undefined ? commissions.filter(isUnconfirmed).length : countOf(onlyUnconfirmed(matching.totals));
  return (
    <Dialog title={`Approve ${what}?`} onClose={onClose}>
      <p class="soft">
        <Totals of={amountsOf(wanted, flagged)} /> can be paid out without waiting for the end of the hold period. You
        can't put {size === 1 ? "it" : "them"} on hold again, only reject {size === 1 ? "it" : "them"}.
      </p>
      {unconfirmed > 0 && (
        <p>
          {unconfirmed === size ? "" : `${unconfirmed} of them: `}Only a browser reported the{" "}
          {unconfirmed === 1 ? "click" : "clicks"}. {confirms(size)}
        </p>
      )}
      <FlaggedNotice
        flagged={flagged}
        all={all}
        hasMore={hasMore}
        isLeftOut={leavesFlagged}
        onLeaveOut={setLeavesFlagged}
      />
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

const confirms = (size: number): string =>
  size === 1
    ? "Approving the commission confirms its customer, and with them all of their unconfirmed commissions."
    : `Approving these ${size} commissions confirms their customers, and with them all of the customers' unconfirmed commissions.`;

interface FlaggedNoticeProps {
  readonly flagged: readonly Decidable[];
  /** Number of all commissions that the request selects. */
  readonly all: number;
  /** True if there are more flagged commissions than were counted. */
  readonly hasMore: boolean;
  readonly isLeftOut: boolean;
  readonly onLeaveOut: (isLeftOut: boolean) => void;
}

function FlaggedNotice({ flagged, all, hasMore, isLeftOut, onLeaveOut }: FlaggedNoticeProps): JSX.Element | null {
  if (flagged.length === 0) return null;
  const reasons = [...new Set(flagged.flatMap(({ reasons = [] }) => reasons.map(({ text }) => text)))];
  const names = flagged.slice(0, maxNamed).map(({ transactionId }) => transactionId);
  return (
    <div class="notice warn">
      <p>
        {flagged.length === all ? "Flagged" : `${flagged.length}${hasMore ? " or more" : ""} of them flagged`}:{" "}
        {names.join(", ")}
        {flagged.length > maxNamed && ", …"}. {reasons.slice(0, 3).join(" ")}
      </p>
      {flagged.length < all && !hasMore && (
        <label class="row">
          <input type="checkbox" checked={isLeftOut} onChange={(event) => onLeaveOut(event.currentTarget.checked)} />{" "}
          Leave the flagged ones out
        </label>
      )}
    </div>
  );
}
