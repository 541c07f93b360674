import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { Button } from "../../../components/button.tsx";
import { Money } from "../../../components/numbers.tsx";
import { PartnerLink } from "../../../components/partner-link.tsx";
import { Instant } from "../../../components/time.tsx";
import { addressWith, useFilters } from "../../../url.ts";
import type { Commission } from "../queries.ts";
import { ReviewEnd } from "../review-end.tsx";
import { type TrackRecord, TrackRecordText } from "./track-record.tsx";

export type Verb = "release" | "reject";

interface HeldCardProps {
  readonly commission: Commission;
  /** Undefined while the track record loads. */
  readonly record: TrackRecord | undefined;
  /** Undefined if the user can't decide. */
  readonly onDecide: ((verb: Verb) => void) | undefined;
  readonly isSelected: boolean;
  readonly onSelect: (isSelected: boolean) => void;
}

export function HeldCard({ commission, record, onDecide, isSelected, onSelect }: HeldCardProps): JSX.Element {
  const { transactionId, heldSince, reasons, amountCents, currency } = commission;
  return (
    // Keyboard shortcuts decide the focused card.
    <li class="card held-card" tabIndex={-1}>
      {onDecide && (
        <label class="selector">
          <span class="unseen">Select {transactionId}</span>
          <input
            type="checkbox"
            checked={isSelected}
            onChange={({ currentTarget }) => onSelect(currentTarget.checked)}
          />
        </label>
      )}
      <div class="held-story">
        {reasons.map(({ code, text }) => (
          <h2 key={code} class="breakable">
            {text}
          </h2>
        ))}
        <Sale commission={commission} />
        <Partner commission={commission} record={record} />
        {heldSince !== null && (
          <p class="soft">
            Held since <Instant at={heldSince} />. <ReviewEnd commission={commission} />
          </p>
        )}
      </div>
      <p class="held-cost">
        <strong>
          <Money amountCents={amountCents} currency={currency} />
        </strong>
        <small>Commission</small>
      </p>
      {onDecide && (
        <div class="row held-actions">
          <Button look="primary" label={`Release ${transactionId}`} onClick={() => onDecide("release")}>
            Release…
          </Button>
          <Button look="danger" label={`Reject ${transactionId}`} onClick={() => onDecide("reject")}>
            Reject…
          </Button>
        </div>
      )}
    </li>
  );
}

function Sale({ commission }: Pick<HeldCardProps, "commission">): JSX.Element {
  const { path } = useLocation();
  const [filters] = useFilters();
  const { id, transactionId, customerKey, saleAmountCents, currency, soldAt } = commission;
  return (
    <p class="breakable">
      Sale{" "}
      <a href={addressWith(path, { ...filters, commission: String(id) })}>
        <bdi>{transactionId}</bdi>
      </a>{" "}
      of <Money amountCents={saleAmountCents} currency={currency} /> to{" "}
      {customerKey === null ? "an unknown customer" : <bdi>{customerKey}</bdi>}, <Instant at={soldAt} />
    </p>
  );
}

function Partner({ commission, record }: Pick<HeldCardProps, "commission" | "record">): JSX.Element | null {
  const { partnerId, partnerName } = commission;
  if (partnerId === null) return null;
  return (
    <p class="breakable">
      <PartnerLink id={partnerId} name={partnerName} />
      <span class="soft">{record ? <TrackRecordText record={record} /> : <>: …</>}</span>
    </p>
  );
}
