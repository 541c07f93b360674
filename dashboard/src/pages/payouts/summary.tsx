import type { JSX } from "preact";
import { useSignal } from "../../api/signal.ts";
import { formatList, formatShortMoney } from "../../format.ts";
import { moneyLabels } from "../../outcome-labels.ts";
import { reasonsOf } from "../../reasons/reasons-address.ts";
import { WhyMoney } from "../../reasons/why-money.tsx";
import { useProgram } from "../../session.tsx";
import { toDo } from "../../shell/to-do.ts";
import type { Totals } from "./queries.ts";

const figures = [
  [moneyLabels.payable, "payableCents"],
  [moneyLabels.pending, "pendingCents"],
  [moneyLabels.inPayout, "inPayoutCents"],
  ["Paid this year", "paidThisYearCents"],
] as const satisfies readonly (readonly [title: string, field: keyof Totals])[];

/** The totals of each currency. Undefined while they load. */
export const Summary = ({ totals }: { readonly totals: readonly Totals[] | undefined }): JSX.Element => (
  <div class="payout-summary">
    <dl aria-busy={totals === undefined}>
      {figures.map(([title, field]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{totals === undefined ? "…" : <Amounts totals={totals} title={title} field={field} />}</dd>
        </div>
      ))}
    </dl>
    <NotPayable totals={totals ?? []} />
  </div>
);

/** Explains why the next payouts can't pay all that is to be paid. */
function NotPayable({ totals }: { readonly totals: readonly Totals[] }): JSX.Element | null {
  const { program } = useProgram();
  const waiting = useSignal(toDo);
  const items = waiting?.programId === program.id ? waiting.items : [];
  const payable = items.find(({ kind }) => kind === "payable");
  // The amount that can be paid is unknown if some amounts are already in a draft, or if there are too many partners to
  // add up.
  if (waiting === undefined || items.some(({ kind }) => kind === "draft") || payable?.hasMore) return null;
  const left = totals.map(({ currency, payableCents }) => ({
    currency,
    cents: payableCents - (payable?.amounts.find((each) => each.currency === currency)?.cents ?? 0),
  }));
  const amounts = left.filter(({ cents }) => cents > 0).map(({ currency, cents }) => formatShortMoney(cents, currency));
  if (amounts.length === 0) return null;
  return (
    <p class="soft">
      Of the amounts to pay, {formatList(amounts)} can't be paid yet: balances below the minimum, or of paused partners.
    </p>
  );
}

interface AmountsProps {
  readonly totals: readonly Totals[];
  readonly title: string;
  readonly field: (typeof figures)[number][1];
}

function Amounts({ totals, title, field }: AmountsProps): JSX.Element {
  const shown = totals.filter((each) => each[field] !== 0);
  if (shown.length === 0) return <span class="soft">Nothing</span>;
  return (
    <>
      {shown.map((each, i) => (
        <span key={each.currency}>
          {i > 0 && <span class="soft"> · </span>}
          <WhyMoney
            amountCents={each[field]}
            currency={each.currency}
            of={reasonsOf("all", field.slice(0, -"Cents".length), each.currency)}
            what={title}
            isShort
          />
        </span>
      ))}
    </>
  );
}
