import type { JSX } from "preact";
import { Count, Money } from "../../components/numbers.tsx";
import { DayOf, Instant } from "../../components/time.tsx";
import { type PayoutWithLines, useNames } from "./queries.ts";
import { paidTotal } from "./totals.ts";

export function PayoutFacts({ payout }: { readonly payout: PayoutWithLines }): JSX.Element {
  const nameOf = useNames();
  const { currency, totalCents, lineCount, until, minimumCents, paidAt, note } = payout;
  const returnedCents = totalCents - paidTotal(payout);
  const steps = [
    ["Created", payout.createdAt, payout.createdBy],
    ["Finalized", payout.finalizedAt, payout.finalizedBy],
    ["Marked as paid", payout.confirmedAt, payout.confirmedBy],
    ["Canceled", payout.canceledAt, payout.canceledBy],
  ] as const;
  return (
    <dl class="facts">
      <dt>Amount</dt>
      <dd>
        <Money amountCents={totalCents} currency={currency} /> to <Count of={lineCount} />{" "}
        {lineCount === 1 ? "partner" : "partners"}
        {payout.status === "paid" && returnedCents > 0 && (
          <>
            , of which <Money amountCents={returnedCents} currency={currency} /> came back
          </>
        )}
      </dd>
      {paidAt !== null && (
        <>
          <dt>Paid on</dt>
          <dd>
            <DayOf at={paidAt} />
          </dd>
        </>
      )}
      <dt>Includes</dt>
      <dd>
        Commissions approved until <Instant at={until} />
        {minimumCents > 1 && (
          <>
            , from <Money amountCents={minimumCents} currency={currency} /> per partner
          </>
        )}
      </dd>
      {steps.map(
        ([title, at, by]) =>
          at !== null && (
            <>
              <dt key={title}>{title}</dt>
              <dd>
                <Instant at={at} /> by {nameOf(by)}
              </dd>
            </>
          ),
      )}
      {note !== null && (
        <>
          <dt>Note</dt>
          <dd>{note}</dd>
        </>
      )}
    </dl>
  );
}
