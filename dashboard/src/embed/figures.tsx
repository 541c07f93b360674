import type { JSX } from "preact";
import { Count, Money } from "../components/numbers.tsx";
import { currencyName, formatDate } from "../format.ts";
import { Section } from "./parts.tsx";
import type { Links, Overview } from "./queries.ts";

interface FiguresProps {
  readonly overview: Overview;
  readonly links: Links;
}

export function Figures({ overview, links: { data, meta } }: FiguresProps): JSX.Element {
  const { balances, nextPayout } = overview.data;
  const sum = (name: "clicks" | "sales" | "commissionCents") => data.reduce((all, link) => all + link[name], 0);
  return (
    <Section title="Your results">
      <dl class="figures-list" aria-label="Results">
        <Figure title="Clicks">
          <Count of={sum("clicks")} />
        </Figure>
        <Figure title="Sales">
          <Count of={sum("sales")} />
        </Figure>
        <Figure title="Earned">
          <Money amountCents={sum("commissionCents")} currency={meta.currency} />
        </Figure>
      </dl>
      <p class="soft small">
        From {formatDate(meta.dateFrom)} to {formatDate(meta.dateTo)}.
      </p>
      {balances.map((balance) => (
        <dl key={balance.currency} class="figures-list" aria-label={`Balance in ${currencyName(balance.currency)}`}>
          <Figure title="On hold">
            <Money amountCents={balance.pendingCents} currency={balance.currency} />
          </Figure>
          <Figure title="To be paid">
            <Money amountCents={balance.payableCents + balance.inPayoutCents} currency={balance.currency} />
          </Figure>
          <Figure title="Paid so far">
            <Money amountCents={balance.paidCents} currency={balance.currency} />
          </Figure>
        </dl>
      ))}
      {nextPayout.terms !== null && <p class="soft small">{nextPayout.terms}</p>}
    </Section>
  );
}

const Figure = ({ title, children }: { readonly title: string; readonly children: JSX.Element }): JSX.Element => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);
