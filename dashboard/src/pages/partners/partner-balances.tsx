import { Fragment, type JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { PartnerWithBalances } from "../../api/partners.ts";
import { Button } from "../../components/button.tsx";
import { namedByCode } from "../../named-by-code.ts";
import { moneyLabels } from "../../outcome-labels.ts";
import { reasonsOf } from "../../reasons/reasons-address.ts";
import { WhyMoney } from "../../reasons/why-money.tsx";
import { useProgram } from "../../session.tsx";
import { Adjustment } from "../payouts/adjustment.tsx";
import { NewPayout } from "../payouts/new-payout.tsx";

type Balance = PartnerWithBalances["balances"][number];

interface PartnerBalancesProps {
  readonly partner: PartnerWithBalances;
}

/** A partner's balances, one line for each currency: amounts in different currencies are never added. */
export function PartnerBalances({ partner }: PartnerBalancesProps): JSX.Element {
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
              <BalanceLine balance={balance} partner={partner} />
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

/** A balance under the same titles as on Payouts. */
function BalanceLine({ balance, partner }: { readonly balance: Balance } & PartnerBalancesProps): JSX.Element {
  const { currency, payableCents, carriedCents, pendingCents, inPayoutCents, paidCents } = balance;
  const amounts = [
    carriedCents < 0
      ? (["payable", moneyLabels.carried, carriedCents] as const)
      : (["payable", moneyLabels.payable, payableCents] as const),
    ["pending", moneyLabels.pending, pendingCents],
    ["inPayout", moneyLabels.inPayout, inPayoutCents],
    ["paid", moneyLabels.paid, paidCents],
  ] as const;
  return (
    <>
      {amounts.map(([field, title, amountCents], i) => (
        <Fragment key={title}>
          {i > 0 && " "}
          <span>
            <span class="soft">{title}</span>{" "}
            <strong>
              <WhyMoney
                amountCents={amountCents}
                currency={currency}
                of={reasonsOf("balance", field, partner.id, currency)}
                what={`${title}, ${namedByCode({ name: partner.name, partnerCode: partner.code })}`}
              />
            </strong>
            {i < amounts.length - 1 && <span class="soft"> ·</span>}
          </span>
        </Fragment>
      ))}
    </>
  );
}
