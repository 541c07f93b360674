import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Money } from "../../components/numbers.tsx";
import { explainAddress } from "../../explain-address.ts";
import { useProgram } from "../../session.tsx";
import { affectedBy } from "./affected.ts";
import type { Proposal } from "./use-proposal.ts";

const maxShown = 10;

/** The commissions that a proposal would approve, reject or hold. Links open another tab, because a dialog may be open. */
export function AffectedRows({ of }: { readonly of: Proposal }): JSX.Element | null {
  const { program } = useProgram();
  const [showsAll, setShowsAll] = useState(false);
  const affected = affectedBy(of).commissions;
  if (affected.length === 0) return null;
  const shown = showsAll ? affected : affected.slice(0, maxShown);
  const more = affected.length - shown.length;
  return (
    <>
      <ul aria-label="Proposed commissions">
        {shown.map((commission) => (
          <li key={commission.id}>
            <a
              href={explainAddress(program.id, { commissionId: String(commission.id) })}
              target="_blank"
              rel="noreferrer"
              title="Opens in a new tab"
            >
              <bdi>{commission.transactionId}</bdi>
            </a>{" "}
            · <bdi>{commission.partnerName}</bdi> <code>{commission.partnerCode}</code> ·{" "}
            <Money amountCents={commission.amountCents} currency={commission.currency} />
          </li>
        ))}
      </ul>
      {more > 0 && <Button onClick={() => setShowsAll(true)}>Show {more} more</Button>}
    </>
  );
}
