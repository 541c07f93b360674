import "./partners.css";
import type { JSX } from "preact";
import { useEffect, useReducer, useState } from "preact/hooks";
import { type Partner, useAllPartners } from "../../api/partners.ts";
import { errorMessage } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Filters, Segments, SelectFilter } from "../../components/filters.tsx";
import { PlusIcon } from "../../components/icons.tsx";
import { Notice } from "../../components/notice.tsx";
import { Count, Money } from "../../components/numbers.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { type Column, Table, TableSkeleton } from "../../components/table.tsx";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { NewPartner } from "./new-partner.tsx";
import { PartnerPanel } from "./partner-panel.tsx";
import { type Figures, figuresKey, type Period, periods, useFigures } from "./queries.ts";
import { PartnerBadge, StatusButton } from "./status-button.tsx";

/** Figures load for this many partners at a time, since each takes a call. */
const stepSize = 25;

export default function Partners(): JSX.Element {
  const { program, mayChange } = useProgram();
  const [filters, setFilters] = useFilters();
  const period = periods.find(([known]) => known === filters.period)?.[0] ?? "30d";
  const currency = filters.currency ?? program.currency;
  const partners = useAllPartners();
  const [figures, keepFigures] = useReducer(withMore, new Map<string, Figures>());
  const [search, setSearch] = useState("");
  const [isAdding, setIsAdding] = useState(false);
  const currencies = [
    ...new Set([program.currency, currency, ...[...figures.values()].flatMap((each) => each.otherCurrencies)]),
  ];
  return (
    <>
      <header class="page-head spread">
        <h1>Partners</h1>
        {mayChange("admin") && (
          <Button look="primary" onClick={() => setIsAdding(true)}>
            <PlusIcon /> Add a partner
          </Button>
        )}
      </header>
      <Filters>
        <Segments
          label="Period"
          value={period}
          options={periods}
          onChoose={(chosen) => setFilters({ period: chosen })}
        />
        {currencies.length > 1 && (
          <SelectFilter
            label="Currency"
            value={currency}
            options={currencies.map((each) => [each, each])}
            onChoose={(chosen) => setFilters({ currency: chosen })}
          />
        )}
        <input
          type="search"
          class="control filter"
          placeholder="Search by name or code"
          aria-label="Search by name or code"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </Filters>
      <Loaded query={partners} skeleton={<TableSkeleton rows={8} />}>
        {(data) =>
          data.length === 0 ? (
            <Empty
              title="No partners yet"
              action={
                mayChange("admin") && (
                  <Button look="primary" onClick={() => setIsAdding(true)}>
                    Add your first partner
                  </Button>
                )
              }
            >
              Partners refer customers to you with their own link. They appear here with the clicks and sales they bring
              in.
            </Empty>
          ) : (
            <List
              partners={data.filter(matching(search))}
              isStale={partners.isLoading}
              period={period}
              currency={currency}
              figures={figures}
              onFigures={keepFigures}
            />
          )
        }
      </Loaded>
      {isAdding && <NewPartner onClose={() => setIsAdding(false)} />}
    </>
  );
}

const matching =
  (search: string) =>
  ({ name, code }: Partner): boolean =>
    `${name} ${code}`.toLowerCase().includes(search.trim().toLowerCase());

const withMore = (before: ReadonlyMap<string, Figures>, more: readonly Figures[]): ReadonlyMap<string, Figures> =>
  new Map([...before, ...more.map((each) => [each.key, each] as const)]);

interface ListProps {
  readonly partners: readonly Partner[];
  readonly isStale: boolean;
  readonly period: Period;
  readonly currency: string;
  readonly figures: ReadonlyMap<string, Figures>;
  readonly onFigures: (figures: readonly Figures[]) => void;
}

function List({ partners, isStale, period, currency, figures, onFigures }: ListProps): JSX.Element {
  const { may } = useProgram();
  const [steps, setSteps] = useState(1);
  const [openedId, setOpenedId] = useState<number>();
  const shown = partners.slice(0, steps * stepSize);
  const unknown = shown.map(({ id }) => id).filter((id) => !figures.has(figuresKey(id, period, currency)));
  const opened = partners.find(({ id }) => id === openedId);
  const figure = (head: string, show: (metrics: Figures["metrics"]) => JSX.Element): Column<Partner> => ({
    head,
    isNumber: true,
    cell: ({ id }) => {
      const found = figures.get(figuresKey(id, period, currency));
      return found === undefined ? <span class="waiting" /> : show(found.metrics);
    },
  });
  const columns: Column<Partner>[] = [
    {
      head: "Partner",
      cell: ({ id, name, code }) => (
        <span class="partner-name">
          <button type="button" class="plain-link" onClick={() => setOpenedId(id)}>
            {name}
          </button>
          <code>{code}</code>
        </span>
      ),
    },
    { head: "Status", cell: ({ status }) => <PartnerBadge status={status} /> },
    figure("Clicks", ({ totalClicks }) => <Count of={totalClicks} />),
    figure("Leads", ({ totalLeads }) => <Count of={totalLeads} />),
    figure("Sales", ({ totalSales }) => <Count of={totalSales} />),
    figure("Revenue", ({ totalRevenueCents }) => <Money amountCents={totalRevenueCents} currency={currency} />),
    figure("Commission", ({ totalCommissionCents }) => (
      <Money amountCents={totalCommissionCents} currency={currency} />
    )),
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
            cell: (partner: Partner) => <StatusButton partner={partner} look="quiet" />,
          },
        ]
      : []),
  ];
  if (partners.length === 0) return <Empty title="No partners found">Try another name or code.</Empty>;
  return (
    <>
      <div class="partners">
        <Table
          caption="Partners, sorted by name"
          columns={columns}
          rows={shown}
          rowKey={({ id }) => id}
          isStale={isStale}
        />
      </div>
      {unknown.length > 0 && <LoadFigures ids={unknown} period={period} currency={currency} onFigures={onFigures} />}
      {shown.length < partners.length && (
        <div class="row">
          <Button onClick={() => setSteps(steps + 1)}>
            Show {Math.min(stepSize, partners.length - shown.length)} more
          </Button>
          <span class="soft">
            {shown.length} of {partners.length}
          </span>
        </div>
      )}
      {opened !== undefined && <PartnerPanel key={opened.id} partner={opened} onClose={() => setOpenedId(undefined)} />}
    </>
  );
}

interface LoadFiguresProps extends Pick<ListProps, "period" | "currency" | "onFigures"> {
  readonly ids: readonly number[];
}

function LoadFigures({ ids, period, currency, onFigures }: LoadFiguresProps): JSX.Element | null {
  const { data, failure } = useFigures(ids, period, currency);
  useEffect(() => {
    if (data !== undefined) onFigures(data);
  }, [data]);
  return failure === undefined || failure.isOutage ? null : <Notice look="bad">{errorMessage(failure)}</Notice>;
}
