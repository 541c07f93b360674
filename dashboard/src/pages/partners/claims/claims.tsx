import "./claims.css";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Filters, Segments } from "../../../components/filters.tsx";
import { GuideLink } from "../../../components/guide-link.tsx";
import { Notice } from "../../../components/notice.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { PartnerFilter } from "../../../components/partner-filter.tsx";
import { Empty, Loaded, Skeleton } from "../../../components/states.tsx";
import { useFilters } from "../../../url.ts";
import { Sections } from "../sections.tsx";
import { ClaimCard } from "./claim-card.tsx";
import { DeclineDialog } from "./decline-dialog.tsx";
import { type Claim, everyStatus, type NearbySale, statuses, statusOf, useClaims } from "./queries.ts";
import { TheirsDialog } from "./theirs-dialog.tsx";

interface Asked {
  readonly claim: Claim;
  /** The sale that the claim is about. Undefined if the claim is declined. */
  readonly sale: NearbySale | undefined;
}

interface Outcome {
  readonly text: string;
}

/** Lists partners' claims that one of their sales is missing. */
export default function Claims(): JSX.Element {
  const [filters, setFilters] = useFilters();
  const claims = useClaims(filters);
  const [asked, setAsked] = useState<Asked>();
  const [decided, setDecided] = useState<Outcome>();
  const status = statusOf(filters);
  const close = () => setAsked(undefined);
  const onDone = (text: string) => {
    close();
    setDecided({ text });
  };
  return (
    <>
      <header class="page-head">
        <h1>Partners</h1>
      </header>
      <Sections current="claims" />
      <p class="soft">
        Partners report sales that are missing from their commissions. Credit the sale that they mean, or decline.{" "}
        <GuideLink to="missing-sales" about="missing sales" />
      </p>
      <Filters>
        <Segments
          label="Status"
          value={status ?? everyStatus}
          options={[...statuses, [everyStatus, "All"]]}
          onChoose={(chosen) => setFilters({ status: chosen === "open" ? undefined : chosen })}
        />
        <PartnerFilter value={filters.partnerId ?? ""} onChoose={(chosen) => setFilters({ partnerId: chosen })} />
      </Filters>
      {decided && <Decided outcome={decided} />}
      <Loaded query={claims} skeleton={<ListSkeleton />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <NoClaims isWaiting={status === "open" && !filters.partnerId} />
          ) : (
            <>
              <ul class="claims" aria-label="Claims" aria-busy={claims.isBusy}>
                {data.map((claim) => (
                  <ClaimCard
                    key={claim.id}
                    claim={claim}
                    // While a new filter loads, claims of the previous filter can't be decided.
                    onDecide={claims.isStale ? undefined : (sale) => setAsked({ claim, sale })}
                  />
                ))}
              </ul>
              <Pagination nextCursor={meta.nextCursor} />
            </>
          )
        }
      </Loaded>
      {asked?.sale && <TheirsDialog claim={asked.claim} sale={asked.sale} onDone={onDone} onClose={close} />}
      {asked && asked.sale === undefined && <DeclineDialog claim={asked.claim} onDone={onDone} onClose={close} />}
    </>
  );
}

/** The outcome of a decision. Takes focus, since the button that had it is gone. */
function Decided({ outcome }: { readonly outcome: Outcome }): JSX.Element {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => container.current?.focus(), [outcome]);
  return (
    <div ref={container} tabIndex={-1} class="claim-decided">
      <Notice look="good">{outcome.text}</Notice>
    </div>
  );
}

const NoClaims = ({ isWaiting }: { readonly isWaiting: boolean }): JSX.Element =>
  isWaiting ? (
    <Empty title="No claims waiting">
      Partners report missing sales on their Commissions page. Each report appears here with the sales around its day.
    </Empty>
  ) : (
    <Empty title="No claims found">Claims that match these filters appear here.</Empty>
  );

const ListSkeleton = (): JSX.Element => (
  <div class="claims">
    {[0, 1].map((each) => (
      <div key={each} class="card">
        <Skeleton lines={5} />
      </div>
    ))}
  </div>
);
