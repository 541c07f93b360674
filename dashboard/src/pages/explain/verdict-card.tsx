import type { JSX } from "preact";
import type { Explanation } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Count, Money } from "../../components/numbers.tsx";
import { useProgram } from "../../session.tsx";
import { CommissionBadge } from "../commissions/commission-badge.tsx";
import { type Decidable, mayApprove, mayReject } from "../commissions/decide.ts";
import { useDecisions } from "../commissions/decisions.tsx";
import { Outcomes } from "../commissions/outcomes.tsx";

interface VerdictCardProps {
  readonly explanation: Explanation;
  readonly isTest: boolean;
}

export function VerdictCard({ explanation, isTest }: VerdictCardProps): JSX.Element {
  const { may } = useProgram();
  const { verdict } = explanation;
  const commission = decidableOf(explanation);
  return (
    <section class="card verdict" aria-label="Verdict">
      <p class="verdict-message breakable">{verdict.message}</p>
      {commission !== undefined && (
        <div class="row">
          <strong class="verdict-amount">
            <Money amountCents={commission.amountCents} currency={commission.currency} />
          </strong>
          <CommissionBadge {...commission} />
        </div>
      )}
      {commission === undefined && <Sums verdict={verdict} />}
      {commission !== undefined && !isTest && may("admin") && <Decision commission={commission} />}
    </section>
  );
}

function decidableOf({ commission, verdict, events, missing }: Explanation): Decidable | undefined {
  if (commission === null || verdict.commissionCents === null || verdict.currency === null) return undefined;
  const sale = events.find((event) => event.type === "sale");
  return {
    id: commission.id,
    transactionId: sale?.transactionId ?? `Commission ${commission.id}`,
    status: commission.status,
    unconfirmed: missing.some(({ code }) => code === "unconfirmed"),
    inPayout: commission.entries.some(({ payout }) => payout?.state === "reserved"),
    amountCents: verdict.commissionCents,
    currency: verdict.currency,
    partnerName: verdict.partnerCode && `Partner ${verdict.partnerCode}`,
  };
}

const Sums = ({ verdict: { sums } }: Pick<Explanation, "verdict">): JSX.Element => (
  <>
    {sums.map(({ currency, sales, amountCents, commissionCents }) => (
      <dl key={currency} class="sums">
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

function Decision({ commission }: { readonly commission: Decidable }): JSX.Element {
  const { decide, approve, reject, dialog } = useDecisions(() => undefined);
  return (
    <>
      <Outcomes decide={decide} />
      {mayReject(commission) && (
        <div class="row">
          {mayApprove(commission) && (
            <Button look="primary" isPending={decide.isPending} onClick={() => approve([commission])}>
              Approve
            </Button>
          )}
          <Button look="danger" isPending={decide.isPending} onClick={() => reject([commission])}>
            Reject…
          </Button>
        </div>
      )}
      {dialog}
    </>
  );
}
