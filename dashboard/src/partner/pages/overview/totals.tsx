import type { JSX } from "preact";
import { Count, ShortMoney } from "../../../components/numbers.tsx";
import type { Day } from "./queries.ts";

interface TotalsProps {
  readonly days: readonly Day[];
  readonly currency: string;
}

const counts = [
  ["clicks", "Clicks"],
  ["leads", "Leads"],
  ["sales", "Sales"],
] as const;

export function Totals({ days, currency }: TotalsProps): JSX.Element {
  const sum = (name: keyof Omit<Day, "date">) => days.reduce((all, day) => all + (day[name] ?? 0), 0);
  return (
    <dl class="totals">
      <div>
        <dt>Earned</dt>
        <dd>
          <ShortMoney amountCents={sum("commissionCents")} currency={currency} />
        </dd>
      </div>
      {days.some(({ revenueCents }) => revenueCents !== undefined) && (
        <div>
          <dt>Revenue</dt>
          <dd>
            <ShortMoney amountCents={sum("revenueCents")} currency={currency} />
          </dd>
        </div>
      )}
      {counts.map(([name, title]) => (
        <div key={name}>
          <dt>{title}</dt>
          <dd>
            <Count of={sum(name)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
