import type { JSX } from "preact";
import { sumLabels } from "../../outcome-labels.ts";
import { reasonsOf } from "../../reasons/reasons-address.ts";
import { WhyMoney } from "../../reasons/why-money.tsx";
import { useProgram } from "../../session.tsx";
import { addressWith, programAddress, useFilters } from "../../url.ts";
import type { Overview } from "./queries.ts";

type Commissions = Overview["data"]["commissions"];

const statuses = [
  ["pending", (sums: Commissions[number]) => sums.pendingCents],
  ["approved", (sums: Commissions[number]) => sums.approvedCents],
  ["paid", (sums: Commissions[number]) => sums.paidCents],
] as const;

/** Sums of commissions by status. Each links to its commissions. */
export function Standing({ commissions }: { readonly commissions: Commissions }): JSX.Element {
  const { program } = useProgram();
  const [{ partnerId }] = useFilters();
  return (
    <nav class="card standing" aria-label="Commissions by status">
      <span class="standing-title">Commissions, all time</span>
      {statuses.map(([status, centsOf]) => (
        <div key={status}>
          <a href={addressWith(programAddress(program.id, "commissions"), { status, partnerId })}>
            {sumLabels[status]}
          </a>
          <strong>
            <Sums
              of={commissions.map((sums) => [sums.currency, centsOf(sums)])}
              status={status}
              partnerId={partnerId}
            />
          </strong>
        </div>
      ))}
    </nav>
  );
}

interface SumsProps {
  readonly of: readonly (readonly [currency: string, cents: number])[];
  readonly status: keyof typeof sumLabels;
  readonly partnerId: string | undefined;
}

/** A sum for each currency, because amounts in different currencies are never added. Sums of 0 are left out. */
function Sums({ of: sums, status, partnerId }: SumsProps): JSX.Element {
  const { program } = useProgram();
  const some = sums.filter(([, cents]) => cents !== 0);
  const shown = some.length === 0 ? [[program.currency, 0] as const] : some;
  return (
    <>
      {shown.map(([currency, cents], i) => (
        <span key={currency}>
          {i > 0 && <span class="soft"> · </span>}
          <WhyMoney
            amountCents={cents}
            currency={currency}
            of={reasonsOf("status", status, currency, partnerId)}
            what={sumLabels[status].toLowerCase()}
            isShort
          />
        </span>
      ))}
    </>
  );
}
