import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Explanation } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Count, Money } from "../../components/numbers.tsx";
import { useProgram } from "../../session.tsx";
import { CommissionBadge } from "../commissions/commission-badge.tsx";
import { type Decidable, mayApprove, mayHold, mayReject, mayRelease } from "../commissions/decide.ts";
import { useDecisions } from "../commissions/decisions.tsx";
import type { CorrectSaleProps } from "./correct-sale.tsx";
import { correctableSale } from "./correctable-sale.ts";
import { decidableOf } from "./decidable.ts";
import { WithNames } from "./partner-of-code.tsx";

const Outcomes = lazy(() => import("../commissions/outcomes.tsx"), null);
const CorrectSale = lazy(() => import("./correct-sale.tsx"), null);

interface VerdictCardProps {
  readonly explanation: Explanation;
  readonly isTest: boolean;
}

export function VerdictCard({ explanation, isTest }: VerdictCardProps): JSX.Element {
  const { may, mayChange } = useProgram();
  const { verdict } = explanation;
  const commission = decidableOf(explanation);
  const sale = correctableSale(explanation);
  return (
    <section class="card verdict" aria-label="Verdict">
      <p class="verdict-message breakable">
        <WithNames text={verdict.message} of={explanation} />
      </p>
      {commission !== undefined && (
        <div class="row">
          <strong class="verdict-amount">
            <Money amountCents={commission.amountCents} currency={commission.currency} />
          </strong>
          <CommissionBadge {...commission} />
        </div>
      )}
      {commission === undefined && <Sums verdict={verdict} />}
      {commission !== undefined && !isTest && may("admin") && (
        <Decision commission={commission}>
          {sale !== undefined && mayChange("admin") && (
            <Correct sale={sale} customerKey={explanation.customer?.customerKey ?? null} />
          )}
        </Decision>
      )}
    </section>
  );
}

const Sums = ({ verdict: { sums } }: Pick<Explanation, "verdict">): JSX.Element => (
  <>
    {sums.map(({ currency, sales, amountCents, commissionCents }) => (
      <dl key={currency} class="sums">
        {sales > 0 && (
          <>
            <div>
              <dt>Sales in {currency}</dt>
              <dd>
                <Count of={sales} />
              </dd>
            </div>
            <div>
              <dt>Revenue</dt>
              <dd>
                <Money amountCents={amountCents} currency={currency} />
              </dd>
            </div>
          </>
        )}
        <div>
          <dt>Commission</dt>
          <dd>
            <Money amountCents={commissionCents} currency={currency} />
          </dd>
        </div>
      </dl>
    ))}
  </>
);

interface DecisionProps {
  readonly commission: Decidable;
  /** Further buttons of the card. */
  readonly children: ComponentChildren;
}

function Decision({ commission, children }: DecisionProps): JSX.Element {
  const { decide, approve, reject, hold, release, dialog } = useDecisions(() => undefined);
  return (
    <>
      <Outcomes decide={decide} />
      {(mayReject(commission) || children) && (
        <div class="row">
          {mayRelease(commission) && (
            <Button look="primary" isPending={decide.isPending} onClick={() => release([commission])}>
              Release…
            </Button>
          )}
          {mayApprove(commission) && !mayRelease(commission) && (
            <Button look="primary" isPending={decide.isPending} onClick={() => approve([commission])}>
              Approve
            </Button>
          )}
          {mayReject(commission) && (
            <Button look="danger" isPending={decide.isPending} onClick={() => reject([commission])}>
              Reject…
            </Button>
          )}
          {mayHold(commission) && (
            <Button isPending={decide.isPending} onClick={() => hold([commission])}>
              Hold…
            </Button>
          )}
          {children}
        </div>
      )}
      {dialog}
    </>
  );
}

function Correct(props: Omit<CorrectSaleProps, "onClose">): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Correct…</Button>
      {isOpen && <CorrectSale {...props} onClose={() => setIsOpen(false)} />}
    </>
  );
}
