import type { JSX } from "preact";
import { Money } from "../../../components/numbers.tsx";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { formatDate, pluralize } from "../../../format.ts";
import { Rows, Sum } from "../../../reasons/parts.tsx";
import { useOverview } from "../overview/queries.ts";

/** Explains the amount earned this month, by day. */
export function OfMonth(): JSX.Element {
  return (
    <Loaded query={useOverview("90d")} skeleton={<Skeleton lines={6} />}>
      {({ data, meta: { currency, dateTo, otherCurrencies } }) => {
        const days = data.days.filter(({ date }) => date.slice(0, 7) === dateTo.slice(0, 7));
        const amountCents = days.reduce((sum, day) => sum + day.commissionCents, 0);
        return (
          <>
            <Sum
              equation={{ what: "earned this month", amountCents, currency, terms: [] }}
              note="Earned minus refunded, by the day of the sale or the refund."
            />
            <Rows
              label="Days"
              rows={days
                .filter((day) => day.commissionCents !== 0)
                .toReversed()
                .map((day) => ({
                  key: day.date,
                  title: formatDate(day.date),
                  detail: pluralize(day.sales, "sale") + (otherCurrencies.length > 0 ? " in all currencies" : ""),
                  amount: <Money amountCents={day.commissionCents} currency={currency} />,
                }))}
            />
          </>
        );
      }}
    </Loaded>
  );
}
