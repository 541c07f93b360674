import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { explainAddress } from "../../../explain-address.ts";
import { formatDate, formatMoney } from "../../../format.ts";
import { useProgram } from "../../../session.tsx";
import { type Claim, isInTheirList, isOfOthers, type NearbySale, useSalesAround } from "./queries.ts";

/** The service sends at most this many candidates with a claim. */
const maxCandidates = 5;

interface SalesAroundProps {
  readonly claim: Claim;
  /** Undefined if the user can't decide. */
  readonly onCredit: ((sale: NearbySale) => void) | undefined;
}

/** The sales that the claim may be about. */
export function SalesAround({ claim, onCredit }: SalesAroundProps): JSX.Element {
  const [showsMore, setShowsMore] = useState(false);
  const { candidates, hasMoreSales } = claim;
  if (candidates.length === 0) {
    return (
      <p class="soft">
        No sale was recorded within two days of that day. If your shop has the order, it wasn't reported.
      </p>
    );
  }
  if (showsMore) return <MoreSales claim={claim} onCredit={onCredit} />;
  return (
    <>
      <Sales claim={claim} sales={candidates} onCredit={onCredit} />
      {(candidates.length === maxCandidates || hasMoreSales) && (
        <p>
          <Button look="quiet" onClick={() => setShowsMore(true)}>
            Show more sales
          </Button>
        </p>
      )}
    </>
  );
}

function MoreSales({ claim, onCredit }: SalesAroundProps): JSX.Element {
  const found = useSalesAround(claim);
  return (
    <Loaded query={found} skeleton={<Skeleton lines={8} />}>
      {(sales) => <Sales claim={claim} sales={sales} onCredit={onCredit} />}
    </Loaded>
  );
}

const Sales = ({
  claim,
  sales,
  onCredit,
}: SalesAroundProps & { readonly sales: readonly NearbySale[] }): JSX.Element => (
  <ul class="claim-sales" aria-label="Sales around that day">
    {sales
      // Sales that can't be credited come last.
      .toSorted((a, b) => Number(isOfOthers(a)) - Number(isOfOthers(b)))
      .map((sale) => (
        <li key={sale.saleId}>
          <Sale claim={claim} sale={sale} />
          {onCredit && <CreditButton sale={sale} onCredit={onCredit} />}
        </li>
      ))}
  </ul>
);

interface CreditButtonProps {
  readonly sale: NearbySale;
  readonly onCredit: (sale: NearbySale) => void;
}

function CreditButton({ sale, onCredit }: CreditButtonProps): JSX.Element {
  const text = isInTheirList(sale) ? "Already theirs" : "It's theirs";
  return (
    <Button label={`${text}: ${sale.transactionId}`} isDisabled={isOfOthers(sale)} onClick={() => onCredit(sale)}>
      {text}…
    </Button>
  );
}

function Sale({ claim, sale }: { readonly claim: Claim; readonly sale: NearbySale }): JSX.Element {
  const { program } = useProgram();
  const { saleId, transactionId, amountCents, currency, saleDate, amountApartCents, reason } = sale;
  const isNamed = transactionId === claim.reference;
  return (
    <div>
      <p>
        <a href={explainAddress(program.id, { saleId: String(saleId) })}>
          <bdi>{transactionId}</bdi>
        </a>{" "}
        {isNamed && <Badge tone="accent">Same reference</Badge>}{" "}
        {amountApartCents === 0 && currency === claim.currency && <Badge tone="accent">Same amount</Badge>}
      </p>
      <p class="soft">
        <span class="figures">{formatMoney(amountCents, currency)}</span> on {formatDate(saleDate)}.{" "}
        <Owner sale={sale} partner={claim.partner.name} /> {reason?.message}
      </p>
    </div>
  );
}

function Owner({ sale, partner: claimant }: { readonly sale: NearbySale; readonly partner: string }): JSX.Element {
  const { program } = useProgram();
  const { partner, commissionCents, currency } = sale;
  if (partner === null) return <>No partner has it.</>;
  const earned = formatMoney(commissionCents, currency);
  return partner.isThis ? (
    <>
      <bdi>{claimant}</bdi> has it already, with a commission of {earned}.
    </>
  ) : (
    <>
      <bdi>{partner.name}</bdi> <code>{partner.code}</code> has it.
      {isOfOthers(sale) && (
        <>
          {" "}
          The customer's partner can't change:{" "}
          <a href={explainAddress(program.id, { saleId: String(sale.saleId) })}>see the explanation</a> to correct the
          sale.
        </>
      )}
    </>
  );
}
