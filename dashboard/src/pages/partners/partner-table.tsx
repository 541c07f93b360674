import type { JSX } from "preact";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { SelectFilter } from "../../components/filters.tsx";
import { Count, Money, Percent } from "../../components/numbers.tsx";
import { OpensRows } from "../../components/opens-rows.tsx";
import { PartnerName } from "../../components/partner-name.tsx";
import { selector } from "../../components/selector.tsx";
import { useSorting } from "../../components/sorting.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { namedByCode } from "../../named-by-code.ts";
import { moneyLabels } from "../../outcome-labels.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, partnerAddress, periodFilters, useFilters } from "../../url.ts";
import { salesPerClick } from "../overview/metrics.ts";
import { type ListedPartner, type PartnerPage, type PartnerTotals, partnerSorting } from "./queries.ts";
import { RowMenu } from "./row-menu.tsx";
import { usePartnerStatus } from "./use-partner-status.tsx";

/** A partner, or the totals of all of them. */
type Row = Omit<PartnerTotals, "carriedCents"> &
  Partial<Pick<PartnerTotals, "carriedCents">> & { readonly partner: PartnerPage["data"][number] | undefined };

interface PartnerTableProps {
  readonly found: PartnerPage;
  readonly isStale: boolean;
  /** Undefined if the user can't act on a selection. */
  readonly selectedIds: ReadonlySet<number> | undefined;
  readonly onSelect: (ids: ReadonlySet<number>) => void;
}

const None = (): JSX.Element => <span class="soft">–</span>;

export function PartnerTable(props: PartnerTableProps): JSX.Element {
  const {
    found: { data, meta },
    isStale,
  } = props;
  const [filters] = useFilters();
  const sorted = useSorting(partnerSorting(filters));
  const status = usePartnerStatus();
  const counted = (of: (row: Row) => number) => (row: Row) => (of(row) === 0 ? <None /> : <Count of={of(row)} />);
  const money = (of: (row: Row) => number) => (row: Row) =>
    of(row) === 0 ? <None /> : <Money amountCents={of(row)} currency={meta.currency} />;
  const columns: Column<Row>[] = [
    ...selectColumn(props),
    { ...sorted("name", "Partner"), cell: ({ partner }) => <Name partner={partner} total={meta.pagination.total} /> },
    { ...sorted("clicks", "Clicks"), isNumber: true, cell: counted(({ clicks }) => clicks) },
    { ...sorted("sales", "Sales"), isNumber: true, cell: counted(({ sales }) => sales) },
    {
      ...sorted("conversion", salesPerClick),
      isNumber: true,
      cell: ({ clicks, sales }) =>
        clicks === 0 || sales === 0 ? <None /> : <Percent of={Math.round((sales / clicks) * 10_000) / 100} />,
    },
    { ...sorted("revenue", "Revenue"), isNumber: true, cell: money(({ revenueCents }) => revenueCents) },
    { ...sorted("commission", "Commission"), isNumber: true, cell: money(({ commissionCents }) => commissionCents) },
    {
      ...sorted("unpaid", moneyLabels.payable),
      isNumber: true,
      cell: (row) => (
        <span class="two-lines">
          {money(({ unpaidCents, carriedCents = 0 }) => unpaidCents - carriedCents)(row)}
          {row.unpaidCents < 0 && row.carriedCents === undefined && <small>{moneyLabels.carried.toLowerCase()}</small>}
          {row.carriedCents !== undefined && row.carriedCents < 0 && (
            <small>
              <Money amountCents={row.carriedCents} currency={meta.currency} /> {moneyLabels.carried.toLowerCase()}
            </small>
          )}
        </span>
      ),
    },
    {
      head: "Actions",
      isNumber: true,
      control: <span class="unseen">Actions</span>,
      cell: ({ partner }) => partner && <RowMenu partner={partner} onChangeStatus={status.change} />,
    },
  ];
  const total: Row = { ...meta.totals, partner: undefined };
  return (
    <>
      <OpensRows>
        <div class="partners row-cards">
          <Table
            caption="Partners"
            columns={columns}
            rows={[...data.map((partner) => ({ ...partner, partner })), total]}
            rowKey={({ partner }) => partner?.id ?? "total"}
            rowClass={({ partner }) => (partner === undefined ? "total-row" : undefined)}
            isStale={isStale}
          />
        </div>
      </OpensRows>
      <Pages meta={meta} />
      {status.dialog}
    </>
  );
}

function selectColumn({ found: { data }, isStale, selectedIds, onSelect }: PartnerTableProps): Column<Row>[] {
  if (selectedIds === undefined) return [];
  const { cell, ...column } = selector<ListedPartner>({
    rows: data,
    isSelectable: !isStale,
    selectedIds,
    onSelect,
    nameOf: ({ name, code }) => namedByCode({ name, partnerCode: code }),
  });
  return [{ ...column, cell: ({ partner }) => partner && cell(partner) }];
}

function Name({ partner, total }: { readonly partner: Row["partner"]; readonly total: number }): JSX.Element {
  const { program } = useProgram();
  const [filters] = useFilters();
  if (partner === undefined) {
    return (
      <strong>
        Total of <Count of={total} /> {total === 1 ? "partner" : "partners"}
      </strong>
    );
  }
  const { id, name, code, status } = partner;
  const href = addressWith(partnerAddress(program.id, id), periodFilters(filters));
  return (
    <PartnerName name={name} code={code} href={href} linkClass="row-link">
      {status === "paused" && <Badge tone="warn">Paused</Badge>}
    </PartnerName>
  );
}

function Pages({ meta: { pagination } }: Pick<PartnerPage, "meta">): JSX.Element {
  const [, setFilters] = useFilters();
  const { page, pageSize, pageCount, total } = pagination;
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(page * pageSize, total);
  const go = (to: number) => {
    setFilters({ page: to === 1 ? undefined : String(to) });
    scrollTo({ top: 0 });
    document.getElementById("main")?.focus({ preventScroll: true });
  };
  return (
    <nav class="row spread" aria-label="Pagination">
      <span class="hint">
        <Count of={first} />
        {first < last && (
          <>
            –<Count of={last} />
          </>
        )}{" "}
        of <Count of={total} />
      </span>
      {pageCount > 1 && (
        <span class="row">
          <SelectFilter
            label="Page"
            value={String(page)}
            options={Array.from({ length: pageCount }, (_, i) => [String(i + 1), `Page ${i + 1} of ${pageCount}`])}
            onChoose={(chosen) => go(Number(chosen))}
          />
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
