import type { JSX } from "preact";
import { Card } from "../../../components/card.tsx";
import { Money } from "../../../components/numbers.tsx";
import { deduction } from "./comes-when.ts";
import type { Balance } from "./queries.ts";

const parts = [
  ["pendingCents", "On hold"],
  ["payableCents", "To be paid"],
  ["inPayoutCents", "Being paid"],
  ["paidCents", "Paid so far"],
] as const;

/** Amounts of different currencies are never added. */
export function Balances({ balances }: { readonly balances: readonly Balance[] }): JSX.Element | null {
  if (balances.length === 0) return null;
  return (
    <Card title="Balances" lead="Amounts on hold are paid once their hold period is over and the sale stands.">
      {balances.map((balance) => (
        <section key={balance.currency} class="stack" aria-label={`Balance in ${balance.currency}`}>
          {balances.length > 1 && <h3>{balance.currency}</h3>}
          <dl class="totals">
            {parts.map(([name, title]) => (
              <div key={name}>
                <dt>{title}</dt>
                <dd>
                  <Money amountCents={balance[name]} currency={balance.currency} />
                </dd>
              </div>
            ))}
          </dl>
          {balance.carriedCents < 0 && <p>{deduction(balance)}</p>}
        </section>
      ))}
    </Card>
  );
}
