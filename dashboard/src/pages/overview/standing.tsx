import type { JSX } from "preact";
import { ShortMoney } from "../../components/numbers.tsx";
import { sumLabels } from "../../outcome-labels.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, programAddress, useFilters } from "../../url.ts";
import type { Overview } from "./queries.ts";

type Commissions = Overview["data"]["commissions"];

const statuses = [
  ["pending", (sums: Commissions[number]) => sums.pendingCents],
  ["approved", (sums: Commissions[number]) => sums.approvedCents],
  ["paid", (sums: Commissions[number]) => sums.paidCents],
] as const;

/** Each status links to its commissions. */
export function Standing({ commissions }: { readonly commissions: Commissions }): JSX.Element {
  const { program } = useProgram();
  const [{ partnerId }] = useFilters();
  return (
    <nav class="card standing" aria-label="Commissions by status">
      <span class="standing-title">Commissions, all time</span>
      {statuses.map(([status, centsOf]) => (
        <a key={status} href={addressWith(programAddress(program.id, "commissions"), { status, partnerId })}>
          <span class="soft">{sumLabels[status]}</span>
          <strong>
            <Sums of={commissions.map((sums) => [sums.currency, centsOf(sums)])} />
          </strong>
        </a>
      ))}
    </nav>
  );
}

/** Amounts in different currencies are never added. Currencies with nothing are left out. */
function Sums({ of: sums }: { readonly of: readonly (readonly [currency: string, cents: number])[] }): JSX.Element {
  const { program } = useProgram();
  const some = sums.filter(([, cents]) => cents !== 0);
  if (some.length === 0) return <ShortMoney amountCents={0} currency={program.currency} />;
  return (
    <>
      {some.map(([currency, cents], i) => (
        <span key={currency}>
          {i > 0 && <span class="soft"> · </span>}
          <ShortMoney amountCents={cents} currency={currency} />
        </span>
      ))}
    </>
  );
}
