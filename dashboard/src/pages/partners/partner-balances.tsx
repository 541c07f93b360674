import { Fragment, type JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { PartnerWithBalances } from "../../api/partners.ts";
import { Button } from "../../components/button.tsx";
import { Money } from "../../components/numbers.tsx";
import { moneyLabels } from "../../outcome-labels.ts";
import { useProgram } from "../../session.tsx";
import { Adjustment } from "../payouts/adjustment.tsx";
import { NewPayout } from "../payouts/new-payout.tsx";

type Balance = PartnerWithBalances["balances"][number];

/** One line a currency: amounts in different currencies are never added. */
export function PartnerBalances({ partner }: { readonly partner: PartnerWithBalances }): JSX.Element {
  const { program, may, mayChange } = useProgram();
  const { id, code, name, balances } = partner;
  const [asked, setAsked] = useState<"payout" | "adjustment">();
  const references = useRef(new Map<number, string>());
  const payable = balances.filter(({ payableCents }) => payableCents > 0).map(({ currency }) => currency);
  const [first] = payable.includes(program.currency) ? [program.currency] : payable;
  const paid = { partnerId: id, partnerCode: code, name };
  const close = () => setAsked(undefined);
  return (
    <section class="card row spread" aria-label="Balance">
      {balances.length === 0 ? (
        <p class="soft">Nothing to pay yet.</p>
      ) : (
        <ul class="partner-balances">
          {balances.map((balance) => (
            <li key={balance.currency}>
              <BalanceLine balance={balance} />
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        {may("admin") && first !== undefined && <Button onClick={() => setAsked("payout")}>New payout</Button>}
        {mayChange("admin") && <Button onClick={() => setAsked("adjustment")}>Adjust balance…</Button>}
      </div>
      {asked === "payout" && first !== undefined && (
        <NewPayout currency={first} currencies={payable} partners={[paid]} onClose={close} />
      )}
      {asked === "adjustment" && (
        <Adjustment
          partner={{ ...paid, currency: first ?? balances[0]?.currency ?? program.currency }}
          references={references.current}
          hasAnyCurrency
          onClose={close}
        />
      )}
    </section>
  );
}

/** Named as on Payouts. */
function BalanceLine({ balance }: { readonly balance: Balance }): JSX.Element {
  const { currency, payableCents, carriedCents, pendingCents, inPayoutCents, paidCents } = balance;
  const amounts = [
    carriedCents < 0 ? ([moneyLabels.carried, carriedCents] as const) : ([moneyLabels.payable, payableCents] as const),
    [moneyLabels.pending, pendingCents],
    [moneyLabels.inPayout, inPayoutCents],
    [moneyLabels.paid, paidCents],
  ] as const;
  return (
    <>
      {amounts.map(([title, amountCents], i) => (
        <Fragment key={title}>
          {i > 0 && " "}
          <span>
            <span class="soft">{title}</span>{" "}
            <strong>
              <Money amountCents={amountCents} currency={currency} />
            </strong>
            {i < amounts.length - 1 && <span class="soft"> ·</span>}
          </span>
        </Fragment>
      ))}
    </>
  );
}
