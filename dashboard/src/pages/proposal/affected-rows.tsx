import type { JSX } from "preact";
import { Money } from "../../components/numbers.tsx";
import { explainAddress } from "../../explain-address.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, programAddress } from "../../url.ts";
import { affectedBy } from "./affected.ts";
import type { Proposal } from "./use-proposal.ts";

const maxShown = 10;

type Commissions = Proposal["commissions"];

/** The commissions that a proposal would approve, reject or hold. Links open another tab, because a dialog may be open. */
export function AffectedRows({ of }: { readonly of: Proposal }): JSX.Element | null {
  const { program } = useProgram();
  const affected = affectedBy(of).commissions;
  if (affected.length === 0) return null;
  const shown = affected.slice(0, maxShown);
  const more = affected.length - shown.length;
  const list = listAddress(program.id, affected);
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
      {more > 0 && (
        <p>
          and{" "}
          {list === undefined ? (
            `${more} more`
          ) : (
            <a href={list} target="_blank" rel="noreferrer" title="Opens in a new tab">
              {more} more
            </a>
          )}
        </p>
      )}
    </>
  );
}

/**
 * The list of commissions with the filters that all of these match. Undefined if their statuses differ, because the list
 * shows one status.
 */
function listAddress(programId: number, commissions: Commissions): string | undefined {
  const shared = (of: (commission: Commissions[number]) => string) => {
    const [value, ...others] = new Set(commissions.map(of));
    return others.length === 0 ? value : undefined;
  };
  const status = shared((each) => each.status);
  if (status === undefined) return undefined;
  return addressWith(programAddress(programId, "commissions"), {
    status,
    partnerId: shared(({ partnerId }) => String(partnerId ?? "")),
    currency: shared(({ currency }) => currency),
  });
}
