import type { ComponentChildren, JSX } from "preact";
import { Count, Percent, ShortMoney } from "../../components/numbers.tsx";
import { salesPerClick } from "./metrics.ts";
import type { Performance } from "./queries.ts";

export const Facts = ({ performance: { metrics, meta } }: { readonly performance: Performance }): JSX.Element => {
  const money = (amountCents: number) => <ShortMoney amountCents={amountCents} currency={meta.currency} />;
  return (
    <dl class="overview-facts">
      <Fact title={salesPerClick} note="renewals and repeat sales count">
        <Percent of={metrics.conversionRate} />
      </Fact>
      <Fact title="Average order value" note={<>from {times(metrics.salesInCurrency, "partner sale")}</>}>
        {money(metrics.averageOrderValueCents)}
      </Fact>
      <Fact title="Active partners" note="with at least one event">
        <Count of={metrics.activePartners} />
      </Fact>
      <Fact title="Refunded" note={<>in {times(metrics.totalRefunds, "refund")}</>}>
        {money(metrics.totalRefundedCents)}
      </Fact>
      <Fact title="Organic" note={<>in {times(metrics.totalOrganicSales, "sale")}</>}>
        {money(metrics.totalOrganicRevenueCents)}
      </Fact>
    </dl>
  );
};

const times = (count: number, what: string) => (
  <>
    <Count of={count} /> {count === 1 ? what : `${what}s`}
  </>
);

interface FactProps {
  readonly title: string;
  readonly note: ComponentChildren;
  readonly children: ComponentChildren;
}

const Fact = ({ title, note, children }: FactProps): JSX.Element => (
  <div class="fact">
    <dt>{title}</dt>
    <dd>
      <strong>{children}</strong>
      <small>{note}</small>
    </dd>
  </div>
);
