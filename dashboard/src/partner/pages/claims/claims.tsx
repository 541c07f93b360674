import type { JSX } from "preact";
import { daysAround } from "#domain/claim.ts";
import { Badge } from "../../../components/badge.tsx";
import { Money } from "../../../components/numbers.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { Empty, Loaded } from "../../../components/states.tsx";
import { Table, TableSkeleton } from "../../../components/table.tsx";
import { formatDate } from "../../../format.ts";
import { formatDayOf, ownTimezone } from "../../../format-time.ts";
import { useFilters } from "../../../url.ts";
import { usePartner } from "../../access.tsx";
import { type Claim, useClaims } from "./queries.ts";
import { claimState } from "./words.ts";

/** The sales that the partner has reported as missing, with the program's answers. */
export default function Claims(): JSX.Element {
  const [{ cursor }] = useFilters();
  const claims = useClaims(cursor);
  return (
    <Loaded query={claims} skeleton={<TableSkeleton rows={4} />}>
      {({ data, meta }) => (
        <div class="stack">
          {data.length === 0 ? (
            <Empty title="No missing sales reported">
              If one of your sales isn't in your list, report it. The program's answer appears here.
            </Empty>
          ) : (
            <ClaimTable claims={data} isStale={claims.isBusy} />
          )}
          <Pagination nextCursor={meta.nextCursor} />
        </div>
      )}
    </Loaded>
  );
}

interface ClaimTableProps {
  readonly claims: readonly Claim[];
  readonly isStale: boolean;
}

function ClaimTable({ claims, isStale }: ClaimTableProps): JSX.Element {
  const { address } = usePartner();
  return (
    <div class="row-cards own-commissions">
      <Table
        caption="Missing sales that you reported, newest first"
        columns={[
          {
            head: "Reference",
            cell: ({ day, ref, createdAt }) => (
              <span class="two-lines">
                <time dateTime={day}>{formatDate(day)}</time>
                <small>
                  {ref}, reported on {formatDayOf(createdAt, ownTimezone())}
                </small>
              </span>
            ),
          },
          { head: "Answer", cell: (claim) => <Answer claim={claim} /> },
          {
            head: "Around that day",
            cell: ({ day }) => <a href={address("commissions", { ...daysAround(day) })}>Your sales</a>,
          },
          {
            head: "Sale amount",
            isNumber: true,
            cell: ({ amountCents, currency }) =>
              amountCents !== null && currency !== null && <Money amountCents={amountCents} currency={currency} />,
          },
        ]}
        rows={claims}
        rowKey={({ ref }) => ref}
        isStale={isStale}
      />
    </div>
  );
}

function Answer({ claim }: { readonly claim: Claim }): JSX.Element {
  const { title, tone, detail } = claimState(claim);
  const { partnerNote } = claim;
  return (
    <span class="two-lines">
      <Badge tone={tone}>{title}</Badge>
      {detail !== undefined && <small>{detail}</small>}
      {partnerNote !== null && <small class="partner-note">{partnerNote}</small>}
    </span>
  );
}
