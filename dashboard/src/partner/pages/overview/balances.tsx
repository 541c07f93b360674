import type { JSX } from "preact";
import { Card } from "../../../components/card.tsx";
import { Money } from "../../../components/numbers.tsx";
import { currencyName } from "../../../format.ts";
import { reasonsOf } from "../../../reasons/reasons-address.ts";
import { WhyMoney } from "../../../reasons/why-money.tsx";
import type { Balance } from "./queries.ts";

const parts = [
  ["pendingCents", "On hold", "pending"],
  ["payableCents", "To be paid", "payable"],
  ["inPayoutCents", "Being paid", "inPayout"],
  ["paidCents", "Paid so far", "paid"],
] as const;

/** The partner's balances, by currency: amounts in different currencies are never added. */
export function Balances({ balances }: { readonly balances: readonly Balance[] }): JSX.Element | null {
  if (balances.length === 0) return null;
  return (
    <Card
      title="Balances"
      lead="Amounts on hold become payable after their hold period, unless the program rejects them or the sale is refunded."
    >
      {balances.map((balance) => (
        <section key={balance.currency} class="stack" aria-label={`Balance in ${currencyName(balance.currency)}`}>
          {balances.length > 1 && <h3>{currencyName(balance.currency)}</h3>}
          <dl class="totals">
            {parts.map(([name, title, field]) => (
              <div key={name}>
                <dt>{title}</dt>
                <dd>
                  {name === "payableCents" && balance.carriedCents < 0 ? (
                    <Money amountCents={balance[name]} currency={balance.currency} />
                  ) : (
                    <WhyMoney
                      amountCents={balance[name]}
                      currency={balance.currency}
                      of={reasonsOf("balance", field, balance.currency)}
                      what={title.toLowerCase()}
                    />
                  )}
                </dd>
              </div>
            ))}
          </dl>
          {balance.carriedCents < 0 && (
            <p>
              To be deducted from your next earnings:{" "}
              <WhyMoney
                amountCents={balance.carriedCents}
                currency={balance.currency}
                of={reasonsOf("balance", "payable", balance.currency)}
                what="to be deducted"
              />
            </p>
          )}
        </section>
      ))}
    </Card>
  );
}
