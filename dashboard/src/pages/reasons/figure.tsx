import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Button } from "../../components/button.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Money } from "../../components/numbers.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { formatDate } from "../../format.ts";
import { namedByCode } from "../../named-by-code.ts";
import { formatDays, periodQuery } from "../../period.ts";
import { NoReasons } from "../../reasons/host.tsx";
import { Rows, Sum } from "../../reasons/parts.tsx";
import { reasonsOf } from "../../reasons/reasons-address.ts";
import { WhyMoney } from "../../reasons/why-money.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { useRange } from "../../use-range.ts";
import { metrics } from "../overview/metrics.ts";
import { type Performance, usePerformance } from "../overview/queries.ts";

const fields = { revenue: "revenueCents", commission: "commissionCents" } as const;
type Name = keyof typeof fields;
const isName = (name: string): name is Name => name in fields;

const notes: Readonly<Record<Name, string>> = {
  revenue: "Sales of partners in the period, before refunds. Corrected sales count once.",
  commission: "Commissions earned in the period, minus refunds and rejected commissions. Corrected sales count once.",
};

interface OfFigureProps {
  readonly name: string;
  /** The partner whose figure it is. Default: the sum of all partners. */
  readonly partnerId: string | undefined;
}

/** Explains revenue or commission of the page's period: by partner or, for one partner, by day. */
export function OfFigure({ name, partnerId }: OfFigureProps): JSX.Element {
  const [filters] = useFilters();
  const performance = usePerformance({ ...filters, partnerId }, useRange(filters));
  if (!isName(name)) return <NoReasons />;
  const metric = metrics.find((each) => each.name === name);
  return (
    <Loaded query={performance} skeleton={<Skeleton lines={8} />}>
      {(found) => {
        const { currency, dateFrom, dateTo } = found.meta;
        const amountCents = metric?.total(found.metrics) ?? 0;
        const equation = { what: `${name}, ${formatDays(dateFrom, dateTo)}`, amountCents, currency, terms: [] };
        return (
          <>
            <Sum equation={equation} note={notes[name]}>
              {partnerId === undefined && <ExportPartners name={name} currency={currency} />}
            </Sum>
            {partnerId === undefined ? (
              <ByPartner name={name} currency={currency} />
            ) : (
              <ByDay name={name} performance={found} partnerId={partnerId} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

interface ByDayProps {
  readonly name: Name;
  readonly performance: Performance;
  readonly partnerId: string;
}

/** A row for each day. A day's commission opens its entries. */
const ByDay = ({ name, performance: { data, meta }, partnerId }: ByDayProps): JSX.Element => (
  <Rows
    label="Days"
    rows={data
      .filter((day) => day[fields[name]] !== 0)
      .toReversed()
      .map((day) => ({
        key: day.date,
        title: formatDate(day.date),
        detail: null,
        amount:
          name === "commission" ? (
            <WhyMoney
              amountCents={day.commissionCents}
              currency={meta.currency}
              of={reasonsOf("figure", name, partnerId, day.date)}
              what={`commission, ${formatDate(day.date)}`}
            />
          ) : (
            <Money amountCents={day[fields[name]]} currency={meta.currency} />
          ),
      }))}
  />
);

function usePartnerQuery(currency: string) {
  const [filters] = useFilters();
  const { days } = useRange(filters);
  return { ...periodQuery(days), currency };
}

function ExportPartners({ name, currency }: ByPartnerProps): JSX.Element {
  const { program } = useProgram();
  const query = { ...usePartnerQuery(currency), sort: name, nonzero: "true" } as const;
  return (
    <ExportButton
      label="Export figures by partner"
      call={() =>
        api.tracking.performance[":programId"].partners.$get({
          param: paramOf(program),
          query: { ...query, format: "csv" },
        })
      }
    />
  );
}

interface ByPartnerProps {
  readonly name: Name;
  readonly currency: string;
}

/** A row for each partner, which opens the partner's days. */
function ByPartner({ name, currency }: ByPartnerProps): JSX.Element {
  const [page, setPage] = useState(1);
  const query = { ...usePartnerQuery(currency), sort: name, nonzero: "true", page: String(page) } as const;
  const partners = useProgramQuery("performance of partners", query, (call, init) =>
    take(api.tracking.performance[":programId"].partners.$get(call, init)),
  );
  return (
    <Loaded query={partners} skeleton={<Skeleton lines={8} />}>
      {({ data, meta }) => (
        <>
          <Rows
            label="Partners"
            rows={data.map((partner) => ({
              key: partner.id,
              title: <bdi>{partner.name}</bdi>,
              detail: <code>{partner.code}</code>,
              amount: (
                <WhyMoney
                  amountCents={partner[fields[name]]}
                  currency={currency}
                  of={reasonsOf("figure", name, partner.id)}
                  what={`${name}, ${namedByCode({ name: partner.name, partnerCode: partner.code })}`}
                />
              ),
            }))}
          />
          {meta.pagination.pageCount > 1 && (
            <nav class="row spread" aria-label="Pages of the reasons">
              <Button isDisabled={page === 1} onClick={() => setPage(page - 1)}>
                Previous page
              </Button>
              <Button isDisabled={page >= meta.pagination.pageCount} onClick={() => setPage(page + 1)}>
                Next page
              </Button>
            </nav>
          )}
        </>
      )}
    </Loaded>
  );
}
