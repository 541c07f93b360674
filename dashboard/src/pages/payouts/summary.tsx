import type { JSX } from "preact";
import { ShortMoney } from "../../components/numbers.tsx";
import { moneyLabels } from "../../outcome-labels.ts";
import type { Totals } from "./queries.ts";

const figures = [
  [moneyLabels.payable, "payableCents"],
  [moneyLabels.pending, "pendingCents"],
  [moneyLabels.inPayout, "inPayoutCents"],
  ["Paid this year", "paidThisYearCents"],
] as const satisfies readonly (readonly [title: string, field: keyof Totals])[];

/** Shows each currency separately. Undefined while the totals load. */
export const Summary = ({ totals }: { readonly totals: readonly Totals[] | undefined }): JSX.Element => (
  <dl class="payout-summary" aria-busy={totals === undefined}>
    {figures.map(([title, field]) => (
      <div key={title}>
        <dt>{title}</dt>
        <dd>{totals === undefined ? "…" : <Amounts totals={totals} field={field} />}</dd>
      </div>
    ))}
  </dl>
);

interface AmountsProps {
  readonly totals: readonly Totals[];
  readonly field: (typeof figures)[number][1];
}

function Amounts({ totals, field }: AmountsProps): JSX.Element {
  const shown = totals.filter((each) => each[field] !== 0);
  if (shown.length === 0) return <span class="soft">Nothing</span>;
  return (
    <>
      {shown.map((each, i) => (
        <span key={each.currency}>
          {i > 0 && <span class="soft"> · </span>}
          <ShortMoney amountCents={each[field]} currency={each.currency} />
        </span>
      ))}
    </>
  );
}
