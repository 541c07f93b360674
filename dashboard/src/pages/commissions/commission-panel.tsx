import type { JSX } from "preact";
import { useExplanation } from "../../api/explain.ts";
import { ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Money, Percent } from "../../components/numbers.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { Instant } from "../../components/time.tsx";
import { explainAddress } from "../../explain-address.ts";
import { formatDate } from "../../format.ts";
import { nameInText } from "../../named-by-code.ts";
import { flaggedLabel, heldLabel } from "../../outcome-labels.ts";
import { useProgram } from "../../session.tsx";
import { partnerAddress } from "../../url.ts";
import { Candidates, Missing } from "../explain/sections.tsx";
import { VerdictCard } from "../explain/verdict-card.tsx";
import { type Commission, useCommission } from "./queries.ts";
import { ReviewEnd } from "./review-end.tsx";

const CopyForPartner = lazy(() => import("./copy-for-partner.tsx"), null);

interface CommissionPanelProps {
  readonly id: string;
  readonly onClose: () => void;
}

export function CommissionPanel({ id, onClose }: CommissionPanelProps): JSX.Element {
  const { program } = useProgram();
  const query = { commissionId: id };
  const commission = useCommission(id);
  const explanation = useExplanation(query);
  const title = commission.data === undefined ? `Commission ${id}` : `Sale ${commission.data.transactionId}`;
  if (commission.failure?.status === 404) {
    return (
      <Dialog title={title} look="drawer" onClose={onClose}>
        <Empty title="Not found">This program has no commission {id}.</Empty>
      </Dialog>
    );
  }
  return (
    <Dialog title={title} look="drawer" onClose={onClose}>
      <div class="row">
        <ButtonLink href={explainAddress(program.id, query)}>View full story</ButtonLink>
        {commission.data?.partnerId != null && (
          <ButtonLink href={partnerAddress(program.id, commission.data.partnerId)}>View partner</ButtonLink>
        )}
        {commission.data !== undefined && <CopyForPartner commission={commission.data} />}
      </div>
      <Loaded query={explanation} skeleton={<Skeleton lines={4} />}>
        {(found) => (
          <>
            <VerdictCard explanation={found} isTest={false} />
            <Missing explanation={found} />
            {found.verdict.status === "void" && <Candidates explanation={found} />}
          </>
        )}
      </Loaded>
      <Loaded query={commission} skeleton={<Skeleton lines={6} />}>
        {(found) => <Facts commission={found} />}
      </Loaded>
    </Dialog>
  );
}

function Reasons({ commission }: { readonly commission: Commission }): JSX.Element | null {
  const { heldSince, reasons } = commission;
  if (heldSince === null && reasons.length === 0) return null;
  return (
    <>
      {heldSince !== null && (
        <>
          <dt>{heldLabel}</dt>
          <dd>
            Since <Instant at={heldSince} />. <ReviewEnd commission={commission} />
          </dd>
        </>
      )}
      <dt>{heldSince === null ? flaggedLabel : "Why"}</dt>
      <dd>{reasons.map(({ text }) => text).join(" ")}</dd>
    </>
  );
}

function Facts({ commission }: { readonly commission: Commission }): JSX.Element {
  const { program } = useProgram();
  const { transactionId, customerKey, partnerName, partnerCode, ref, currency } = commission;
  const { appliedRateBps: rateBps, initialCents, amountCents } = commission;
  return (
    <dl class="facts">
      <Reasons commission={commission} />
      <dt>Order</dt>
      <dd class="row">
        <bdi>{transactionId}</bdi> <CopyButton text={transactionId} what="order ID" look="quiet" />
      </dd>
      <dt>Customer</dt>
      <dd class="row">
        {customerKey === null ? (
          "No customer key"
        ) : (
          <a href={explainAddress(program.id, { customerKey })}>
            <bdi>{customerKey}</bdi>
          </a>
        )}
        {customerKey !== null && <CopyButton text={customerKey} what="customer key" look="quiet" />}
      </dd>
      <dt>Partner</dt>
      <dd>{partnerCode === null ? "None" : `${nameInText(partnerName ?? "")} (${partnerCode})`}</dd>
      {partnerCode !== null && (
        <>
          <dt>Partner's reference</dt>
          <dd class="row">
            {ref} <CopyButton text={ref} what="partner's reference" look="quiet" />
          </dd>
        </>
      )}
      <dt>Sale date</dt>
      <dd>{formatDate(commission.saleDate)}</dd>
      <dt>Sale</dt>
      <dd>
        <Money amountCents={commission.saleAmountCents} currency={currency} />
        {commission.saleRefundedCents > 0 && !commission.corrected && (
          <>
            , <Money amountCents={commission.saleRefundedCents} currency={currency} /> refunded
          </>
        )}
      </dd>
      <dt>Commission</dt>
      <dd>
        <Money amountCents={amountCents} currency={currency} />
        {rateBps !== null && (
          <>
            {" "}
            at <Percent of={rateBps / 100} />
          </>
        )}
        {initialCents !== amountCents && (
          <>
            , <Money amountCents={initialCents} currency={currency} /> at first
          </>
        )}
      </dd>
    </dl>
  );
}
