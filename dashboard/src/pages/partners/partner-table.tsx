import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Count, Money } from "../../components/numbers.tsx";
import { useSorting } from "../../components/sorting.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { type ListedPartner, type PartnerPage, partnerQuery } from "./queries.ts";
import { PartnerBadge, StatusButton } from "./status-button.tsx";

interface PartnerTableProps {
  readonly found: PartnerPage;
  readonly isStale: boolean;
  readonly onOpen: (partner: ListedPartner) => void;
}

export function PartnerTable({ found: { data, meta }, isStale, onOpen }: PartnerTableProps): JSX.Element {
  const { may } = useProgram();
  const { currency } = meta;
  const [filters] = useFilters();
  const sorted = useSorting(partnerQuery(filters));
  const money = (amountCents: number) => <Money amountCents={amountCents} currency={currency} />;
  const columns: Column<ListedPartner>[] = [
    {
      ...sorted("name", "Partner"),
      cell: (partner) => (
        <span class="partner-name">
          <button type="button" class="plain-link clipped" title={partner.name} onClick={() => onOpen(partner)}>
            {partner.name}
          </button>
          <code class="clipped">{partner.code}</code>
        </span>
      ),
    },
    { head: "Status", cell: ({ status }) => <PartnerBadge status={status} /> },
    { ...sorted("clicks", "Clicks"), isNumber: true, cell: ({ clicks }) => <Count of={clicks} /> },
    { ...sorted("leads", "Leads"), isNumber: true, cell: ({ leads }) => <Count of={leads} /> },
    { ...sorted("sales", "Sales"), isNumber: true, cell: ({ sales }) => <Count of={sales} /> },
    { ...sorted("revenue", "Revenue"), isNumber: true, cell: ({ revenueCents }) => money(revenueCents) },
    { ...sorted("commission", "Commission"), isNumber: true, cell: ({ commissionCents }) => money(commissionCents) },
    {
      head: "Link",
      cell: ({ name, link }) =>
        link === null ? (
          <span class="soft">No website yet</span>
        ) : (
          <CopyButton text={link} what={`${name}'s link`} look="quiet" />
        ),
    },
    ...(may("admin")
      ? [
          {
            head: "Actions",
            isNumber: true,
            cell: (partner: ListedPartner) => <StatusButton partner={partner} look="quiet" />,
          },
        ]
      : []),
  ];
  return (
    <>
      <div class="partners">
        <Table caption="Partners" columns={columns} rows={data} rowKey={({ id }) => id} isStale={isStale} />
      </div>
      <Pages meta={meta} />
    </>
  );
}

function Pages({ meta: { pagination } }: Pick<PartnerPage, "meta">): JSX.Element {
  const [, setFilters] = useFilters();
  const { page, pageSize, pageCount, total } = pagination;
  const first = (page - 1) * pageSize + 1;
  const go = (to: number) => {
    setFilters({ page: to === 1 ? undefined : String(to) });
    scrollTo({ top: 0 });
    document.getElementById("main")?.focus({ preventScroll: true });
  };
  return (
    <nav class="row spread" aria-label="Pagination">
      <span class="soft">
        <Count of={first} />–<Count of={Math.min(page * pageSize, total)} /> of <Count of={total} />
      </span>
      {pageCount > 1 && (
        <span class="row">
          <Button isDisabled={page === 1} onClick={() => go(page - 1)}>
            Previous
          </Button>
          <Button isDisabled={page >= pageCount} onClick={() => go(page + 1)}>
            Next
          </Button>
        </span>
      )}
    </nav>
  );
}
