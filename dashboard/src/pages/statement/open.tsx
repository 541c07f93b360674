import { Fragment, type JSX } from "preact";
import { Money } from "../../components/numbers.tsx";
import { moneyLabels } from "../../outcome-labels.ts";
import type { Statement } from "./queries.ts";

/** Named as on Payouts. Only known of a statement that ends today. */
export function Open({ statement }: { readonly statement: Statement["data"] }): JSX.Element | null {
  const { currency, closingCents, pendingCents = 0, payableCents, inPayoutCents = 0 } = statement;
  if (payableCents === undefined) return null;
  const carriedCents = closingCents - pendingCents - payableCents - inPayoutCents;
  const parts = [
    [moneyLabels.pending, pendingCents],
    [moneyLabels.payable, payableCents],
    [moneyLabels.inPayout, inPayoutCents],
    ...(carriedCents === 0 ? [] : ([[moneyLabels.carried, carriedCents]] as const)),
  ] as const;
  return (
    <dl class="facts open">
      {parts.map(([title, amountCents]) => (
        <Fragment key={title}>
          <dt>{title}</dt>
          <dd>
            <Money amountCents={amountCents} currency={currency} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
