import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { errorMessage } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";
import { nameInText } from "../../named-by-code.ts";
import { type Decidable, type Decision, type DecisionDialogProps, isUnconfirmed, sizeOf } from "./decide.ts";
import { DecisionProgress } from "./progress.tsx";
import { countOf, onlyUnconfirmed, useMarked } from "./queries.ts";
import { Totals } from "./totals.tsx";

const maxNamed = 10;

const isMarked = ({ held, reasons = [] }: Decidable): boolean => held || reasons.length > 0;

/** The requested decision without the held and the flagged commissions. */
function withoutMarked(asked: Decision, marked: readonly Decidable[]): Decision {
  const { matching } = asked;
  const commissions = asked.commissions.filter((each) => !isMarked(each));
  if (matching === undefined) return { ...asked, commissions };
  return {
    ...asked,
    commissions,
    matching: { ...matching, count: matching.count - marked.length, leavesMarked: true },
  };
}

function amountsOf({ commissions, matching }: Decision, marked: readonly Decidable[]) {
  if (matching === undefined) return commissions;
  const leftOut = matching.leavesMarked === true ? marked : [];
  return [...matching.totals, ...leftOut.map(({ currency, amountCents }) => ({ currency, amountCents: -amountCents }))];
}

/**
 * The held and the flagged commissions of a decision. They are read from the service if the decision goes beyond the
 * page.
 */
function useMarkedOf({ commissions, matching }: Decision) {
  const lists = [useMarked("held", matching?.filters), useMarked("flagged", matching?.filters)];
  if (matching === undefined) return { marked: commissions.filter(isMarked), hasMore: false, isReading: false };
  const found = lists.flatMap(({ data }): readonly Decidable[] => data?.data ?? []);
  return {
    marked: [...new Map(found.map((each) => [each.id, each])).values()],
    /** The number of held or flagged commissions on further pages is unknown. */
    hasMore: lists.some(({ data }) => data != null && data.meta.nextCursor !== null),
    isReading: lists.some(({ data }) => data === undefined),
    failure: lists.find(({ failure }) => failure !== undefined)?.failure,
  };
}

export function ApproveDialog({ asked, decide, onClose }: DecisionDialogProps): JSX.Element {
  const { matching } = asked;
  const { marked, hasMore, isReading, failure } = useMarkedOf(asked);
  const all = sizeOf(asked);
  const mayLeaveOut = marked.length < all && !hasMore;
  const [chosen, choose] = useState<boolean>();
  const leavesMarked = mayLeaveOut && (chosen ?? marked.some(({ held }) => held));
  const wanted = leavesMarked ? withoutMarked(asked, marked) : asked;
  const { commissions } = wanted;
  const size = sizeOf(wanted);
  const what = size === 1 ? "commission" : `${size} commissions`;
  const unconfirmed =
    matching === undefined ? commissions.filter(isUnconfirmed).length : countOf(onlyUnconfirmed(matching.totals));
  const shownFailure = decide.failure ?? failure;
  return (
    <Dialog title={`Approve ${what}?`} onClose={onClose}>
      <p class="soft">
        <Totals of={amountsOf(wanted, marked)} /> can be paid out without waiting for the end of the hold period. You
        can't put {size === 1 ? "it" : "them"} on hold again, only reject {size === 1 ? "it" : "them"}.
      </p>
      {unconfirmed > 0 && (
        <p>
          {unconfirmed === size ? "" : `${unconfirmed} of them: `}Only a browser reported the{" "}
          {unconfirmed === 1 ? "click" : "clicks"}. {confirms(size)} Those whose hold period is over can be paid out
          too.
        </p>
      )}
      <MarkedNotice marked={marked} all={all} hasMore={hasMore}>
        {mayLeaveOut && (
          <label class="row">
            <input type="checkbox" checked={leavesMarked} onChange={(event) => choose(event.currentTarget.checked)} />{" "}
            Leave {marked.length === 1 ? "it" : "them"} out
          </label>
        )}
      </MarkedNotice>
      {shownFailure && <Notice look="bad">{errorMessage(shownFailure)}</Notice>}
      <DecisionProgress decide={decide} />
      <div class="row">
        <Button look="primary" isPending={decide.isPending} isDisabled={isReading} onClick={() => decide.run(wanted)}>
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

interface MarkedNoticeProps {
  readonly marked: readonly Decidable[];
  /** Number of all commissions that the request selects. */
  readonly all: number;
  /** True if there are more held or flagged commissions than were counted. */
  readonly hasMore: boolean;
  readonly children: ComponentChildren;
}

function MarkedNotice({ marked, all, hasMore, children }: MarkedNoticeProps): JSX.Element | null {
  if (marked.length === 0) return null;
  const held = marked.filter((each) => each.held).length;
  const mark = held === 0 ? "flagged" : held === marked.length ? "held for review" : "held for review or flagged";
  const reasons = [...new Set(marked.flatMap(({ reasons = [] }) => reasons.map(({ text }) => text)))];
  const names = marked.slice(0, maxNamed).map(({ transactionId }) => transactionId);
  return (
    <div class="notice warn">
      <p>
        {marked.length === all ? "All" : `${marked.length}${hasMore ? " or more" : ""}`} {mark}:{" "}
        {names.map(nameInText).join(", ")}
        {marked.length > maxNamed && ", …"}. {held > 0 && `Approving ends the ${held === 1 ? "hold" : "holds"}.`}
      </p>
      <ul>
        {reasons.slice(0, 3).map((reason) => (
          <li key={reason}>
            <bdi>{reason}</bdi>
          </li>
        ))}
      </ul>
      {children}
    </div>
  );
}
