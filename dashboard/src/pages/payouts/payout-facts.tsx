import type { JSX } from "preact";
import { Count, Money } from "../../components/numbers.tsx";
import { DayOf, Instant } from "../../components/time.tsx";
import { type PayoutWithLines, useNames } from "./queries.ts";
import { paidTotal } from "./totals.ts";

export function PayoutFacts({ payout }: { readonly payout: PayoutWithLines }): JSX.Element {
  const nameOf = useNames();
  const { currency, totalCents, lineCount, until, minimumCents, paidAt, note, settledBy } = payout;
  const returnedCents = totalCents - paidTotal(payout);
  const steps = [
    ["Created", payout.createdAt, payout.createdBy],
    ["Finalized", payout.finalizedAt, payout.finalizedBy],
    [settledBy === "api" ? "Confirmed" : "Marked as paid", payout.confirmedAt, payout.confirmedBy],
    ["Canceled", payout.canceledAt, payout.canceledBy],
  ] as const;
  return (
    <dl class="facts">
      <dt>Amount</dt>
      <dd>
        <Money amountCents={totalCents} currency={currency} /> to <Count of={lineCount} />{" "}
        {lineCount === 1 ? "partner" : "partners"}
        {payout.status === "paid" && settledBy === "person" && returnedCents > 0 && (
          <>
            , of which <Money amountCents={returnedCents} currency={currency} /> came back
          </>
        )}
      </dd>
      {settledBy === "api" && payout.finalizedAt !== null && <SettledParts payout={payout} />}
      {paidAt !== null && (
        <>
          <dt>{settledBy === "api" ? "Closed on" : "Paid on"}</dt>
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

function SettledParts({ payout }: { readonly payout: PayoutWithLines }): JSX.Element {
  const { currency, dueCents, settledCents, givenBackCents } = payout;
  const isWaiting = payout.lines.some(({ settlement }) => settlement === "waiting");
  const parts = [
    [isWaiting ? "Waiting" : "Due", dueCents],
    ["Settled", settledCents],
    ["Given back", givenBackCents],
  ] as const;
  return (
    <>
      {parts.map(([title, amountCents]) => (
        <>
          <dt key={title}>{title}</dt>
          <dd>
            <Money amountCents={amountCents} currency={currency} />
          </dd>
        </>
      ))}
    </>
  );
}
