import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Change, Count, Money } from "../../components/numbers.tsx";
import { OpensRows } from "../../components/opens-rows.tsx";
import { useSorting } from "../../components/sorting.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatCount } from "../../format.ts";
import { useFilters } from "../../url.ts";
import { type Grouping, groupTitle, textsOf } from "./groupings.ts";
import { columns as figures, type Measure } from "./measures.ts";
import type { Group, Groups } from "./queries.ts";

type Row = Omit<Group, "label"> & { readonly title: string; readonly isTotal?: boolean };

interface GroupTableProps {
  readonly found: Groups;
  readonly groupBy: Grouping;
  /** The measure whose change the table shows. */
  readonly measure: Measure;
  readonly isStale: boolean;
  readonly marked: readonly string[];
  /** Marks a row for the chart. Undefined where there is no chart. */
  readonly onMark: ((group: string) => void) | undefined;
  /** The address that a row leads to. Undefined for a group that can't be a filter. */
  readonly addressOf: (group: string) => string | undefined;
}

const rowsAtOnce = 100;

const lowered = (title: string): string => title.charAt(0).toLowerCase() + title.slice(1);

const None = (): JSX.Element => <span class="soft">–</span>;

export function GroupTable(props: GroupTableProps): JSX.Element {
  const { found, groupBy, measure, isStale, marked, onMark, addressOf } = props;
  const { data, meta } = found;
  const [count, setCount] = useState(rowsAtOnce);
  const [{ sort = "", order = "desc" }] = useFilters();
  const sorted = useSorting({ sort, order: order === "asc" ? "asc" : "desc" });
  const rows = data.map(({ label, ...group }): Row => ({ ...group, title: groupTitle(groupBy, group.group, label) }));
  const by = figures.find(({ name }) => name === sort);
  const sign = order === "asc" ? 1 : -1;
  if (by !== undefined) rows.sort((a, b) => sign * (by.of(a) - by.of(b)));
  const total: Row = { ...meta.totals, group: "", title: "Total", previous: meta.previousTotals, isTotal: true };
  const columns: Column<Row>[] = [
    {
      head: textsOf(groupBy).title,
      cell: ({ title, group, isTotal = false }) => <Title title={title} isTotal={isTotal} href={addressOf(group)} />,
    },
    ...figures.map(
      (figure): Column<Row> => ({
        ...sorted(figure.name, figure.title),
        isNumber: true,
        cell: (row) => <Figure of={figure.of(row)} currency={figure.isMoney ? meta.currency : undefined} />,
      }),
    ),
  ];
  if (meta.previousPeriod !== null) {
    columns.push({
      head: `${measure.title}: change`,
      isNumber: true,
      cell: (row) => row.previous && <Changed measure={measure} row={row} before={row.previous} />,
    });
  }
  if (onMark !== undefined) {
    columns.push({
      head: "Chart",
      isNumber: true,
      cell: ({ group, title, isTotal = false }) =>
        isTotal || group === "other" || groupBy === "month" ? null : (
          <input
            type="checkbox"
            aria-label={`Show ${title} in the chart`}
            checked={marked.includes(group)}
            onChange={() => onMark(group)}
          />
        ),
    });
  }
  return (
    <>
      <OpensRows>
        <div class="explore-groups row-cards">
          <Table
            caption={`Figures by ${lowered(textsOf(groupBy).title)}`}
            columns={columns}
            rows={[...rows.slice(0, count), total]}
            rowKey={({ group }) => group}
            rowClass={({ isTotal }) => (isTotal ? "total-row" : undefined)}
            isStale={isStale}
          />
        </div>
      </OpensRows>
      {count < rows.length && (
        <div class="row">
          <Button onClick={() => setCount(count + rowsAtOnce)}>Show more</Button>
          <span class="hint">
            {formatCount(count)} of {formatCount(rows.length)}
          </span>
        </div>
      )}
    </>
  );
}

interface TitleProps {
  readonly title: string;
  readonly isTotal: boolean;
  readonly href: string | undefined;
}

function Title({ title, isTotal, href }: TitleProps): JSX.Element {
  if (isTotal) return <strong>{title}</strong>;
  if (href === undefined) return <bdi>{title}</bdi>;
  return (
    <a class="row-link" href={href}>
      <bdi>{title}</bdi>
    </a>
  );
}

function Figure({ of, currency }: { readonly of: number; readonly currency: string | undefined }): JSX.Element {
  if (of === 0) return <None />;
  return currency === undefined ? <Count of={of} /> : <Money amountCents={of} currency={currency} />;
}

interface ChangedProps {
  readonly measure: Measure;
  readonly row: Row;
  readonly before: NonNullable<Row["previous"]>;
}

function Changed({ measure, row, before }: ChangedProps): JSX.Element {
  const [now, was] = [measure.of(row), measure.of(before)];
  return now === 0 && was === 0 ? <None /> : <Change now={now} before={was} isNeutral={measure.isNeutral ?? false} />;
}
