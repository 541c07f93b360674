import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Money } from "../../components/numbers.tsx";
import { shownName } from "../../components/partner-name.tsx";
import { explainAddress } from "../../explain-address.ts";
import { useProgram } from "../../session.tsx";
import { partnerAddress } from "../../url.ts";
import { affectedBy } from "./affected.ts";
import type { Proposal } from "./use-proposal.ts";

const maxShown = 10;

/**
 * The commissions that a proposal would approve, reject or hold, or the partners that it would move to a group. Links
 * open another tab, because a dialog may be open.
 */
export function AffectedRows({ of }: { readonly of: Proposal }): JSX.Element | null {
  const { program } = useProgram();
  const [showsAll, setShowsAll] = useState(false);
  const isOfPartners = of.action === "group";
  const rows = isOfPartners
    ? of.partners.map(({ id, name, code }) => (
        <li key={id}>
          <InNewTab href={partnerAddress(program.id, id)}>{shownName(name, `Partner ${id}`)}</InNewTab>{" "}
          <code>{code}</code>
        </li>
      ))
    : affectedBy(of).commissions.map((commission) => (
        <li key={commission.id}>
          <InNewTab href={explainAddress(program.id, { commissionId: String(commission.id) })}>
            {commission.transactionId}
          </InNewTab>{" "}
          · <bdi>{commission.partnerName}</bdi> <code>{commission.partnerCode}</code> ·{" "}
          <Money amountCents={commission.amountCents} currency={commission.currency} />
        </li>
      ));
  if (rows.length === 0) return null;
  const shown = showsAll ? rows : rows.slice(0, maxShown);
  const more = rows.length - shown.length;
  return (
    <>
      <ul aria-label={isOfPartners ? "Proposed partners" : "Proposed commissions"}>{shown}</ul>
      {more > 0 && <Button onClick={() => setShowsAll(true)}>Show {more} more</Button>}
    </>
  );
}

interface InNewTabProps {
  readonly href: string;
  readonly children: string | null;
}

const InNewTab = ({ href, children }: InNewTabProps): JSX.Element => (
  <a href={href} target="_blank" rel="noreferrer" title="Opens in a new tab">
    <bdi>{children}</bdi>
  </a>
);
