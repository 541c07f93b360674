import "./partners.css";
import type { JSX } from "preact";
import { useEffect, useReducer, useState } from "preact/hooks";
import { tell } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Choice } from "../../components/choice.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Count, Money } from "../../components/figures.tsx";
import { PlusIcon } from "../../components/icons.tsx";
import { Notice } from "../../components/notice.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { type Column, Table, TableSkeleton } from "../../components/table.tsx";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { NewPartner } from "./new-partner.tsx";
import { PartnerPanel } from "./partner-panel.tsx";
import { type Figures, figuresKey, type Partner, type Period, periods, useFigures, usePartnerPage } from "./queries.ts";
import { PartnerBadge, StatusButton } from "./status-button.tsx";

const periodTitles: Readonly<Record<Period, string>> = {
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  all: "All time",
};

/** So many partners' figures are asked for at first, and at each further step. */
const stepSize = 25;

/** Who refers, what each brought, and the way to take in another. */
export default function Partners(): JSX.Element {
  const { program, may } = useProgram();
  const [filters, setFilters] = useFilters();
  const period = periods.find((each) => each === filters.period) ?? "30d";
  const currency = filters.currency ?? program.currency;
  const partners = usePartnerPage(filters.cursor);
  const [figures, keepFigures] = useReducer(withMore, new Map<string, Figures>());
  const [isAdding, setIsAdding] = useState(false);
  const currencies = [
    ...new Set([program.currency, currency, ...[...figures.values()].flatMap((each) => each.otherCurrencies)]),
  ];
  return (
    <>
      <header class="page-head spread">
        <h1>Partners</h1>
        {may("admin") && (
          <Button look="primary" onClick={() => setIsAdding(true)}>
            <PlusIcon /> Add a partner
          </Button>
        )}
      </header>
      <div class="row">
        <Choice
          label="Period"
          value={period}
          options={periods.map((each) => [each, periodTitles[each]])}
          onChoose={(chosen) => setFilters({ cursor: filters.cursor, period: chosen })}
        />
        {currencies.length > 1 && (
          <Choice
            label="Currency"
            value={currency}
            options={currencies.map((each) => [each, each])}
            onChoose={(chosen) => setFilters({ cursor: filters.cursor, currency: chosen })}
          />
        )}
      </div>
      <Loaded query={partners} skeleton={<TableSkeleton rows={8} />}>
        {({ data, meta }) =>
          data.length === 0 && filters.cursor === undefined ? (
            <Empty
              title="No partners yet"
              action={
                may("admin") && (
                  <Button look="primary" onClick={() => setIsAdding(true)}>
                    Add the first
                  </Button>
                )
              }
            >
              Whoever refers customers to you gets a link of their own, and stands here with what they bring.
            </Empty>
          ) : (
            <>
              <List
                partners={data}
                isStale={partners.isLoading}
                period={period}
                currency={currency}
                figures={figures}
                onFigures={keepFigures}
              />
              <Pagination nextCursor={meta.nextCursor} />
            </>
          )
        }
      </Loaded>
      {isAdding && <NewPartner onClose={() => setIsAdding(false)} />}
    </>
  );
}

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
          <span class="soft">no website yet</span>
        ) : (
          <CopyButton text={link} what={`link of ${name}`} look="quiet" />
        ),
    },
    ...(may("admin")
      ? [
          {
            head: "Change",
            isNumber: true,
            cell: (partner: Partner) => <StatusButton partner={partner} look="quiet" />,
          },
        ]
      : []),
  ];
  return (
    <>
      <div class="partners">
        <Table
          caption="Partners, the newest first"
          columns={columns}
          rows={shown}
          rowKey={({ id }) => id}
          isStale={isStale}
        />
      </div>
      {Array.from({ length: Math.min(steps, Math.ceil(partners.length / stepSize)) }, (_, step) => (
        <FiguresOf
          key={step}
          ids={partners.slice(step * stepSize, (step + 1) * stepSize).map(({ id }) => id)}
          period={period}
          currency={currency}
          onFigures={onFigures}
        />
      ))}
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

interface FiguresOfProps extends Pick<ListProps, "period" | "currency" | "onFigures"> {
  readonly ids: readonly number[];
}

/** Asks for the figures of some rows; shows itself only where they can't be had. */
function FiguresOf({ ids, period, currency, onFigures }: FiguresOfProps): JSX.Element | null {
  const { data, failure } = useFigures(ids, period, currency);
  useEffect(() => {
    if (data !== undefined) onFigures(data);
  }, [data]);
  return failure === undefined || failure.isOutage ? null : <Notice look="bad">{tell(failure)}</Notice>;
}
