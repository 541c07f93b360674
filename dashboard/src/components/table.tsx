import type { ComponentChildren, JSX } from "preact";

export interface Column<Row> {
  readonly head: string;
  /** What stands in its head in place of the words. */
  readonly control?: ComponentChildren;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the end. */
  readonly isNumber?: boolean;
}

interface TableProps<Row> {
  /** What is in it, for whoever doesn't see it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  readonly rowClass?: (row: Row) => string | undefined;
  /** Old rows, while new ones are asked for. */
  readonly isStale?: boolean;
}

/** Rows; on a phone each is a card. Roles are named, since a table that is laid out otherwise loses its own. */
export const Table = <Row,>({
  caption,
  columns,
  rows,
  rowKey,
  rowClass,
  isStale = false,
}: TableProps<Row>): JSX.Element => (
  <div class="table" aria-busy={isStale}>
    {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
    <table role="table">
      <caption class="unseen">{caption}</caption>
      {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
      <thead role="rowgroup">
        {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
        <tr role="row">
          {columns.map(({ head, control, isNumber }) => (
            // biome-ignore lint/a11y/noRedundantRoles: see above
            <th key={head} role="columnheader" scope="col" class={isNumber ? "number" : undefined}>
              {control ?? head}
            </th>
          ))}
        </tr>
      </thead>
      {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
      <tbody role="rowgroup">
        {rows.map((row) => (
          // biome-ignore lint/a11y/noRedundantRoles: see above
          <tr key={rowKey(row)} role="row" class={rowClass?.(row)}>
            {columns.map(({ head, cell, isNumber }) => (
              // biome-ignore lint/a11y/noRedundantRoles: see above
              <td key={head} role="cell" data-head={head} class={isNumber ? "number" : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** As high as a table of so many rows. */
export const TableSkeleton = ({ rows }: { readonly rows: number }): JSX.Element => (
  <div class="table-skeleton">
    {Array.from({ length: rows + 1 }, (_, row) => (
      <span key={row} />
    ))}
  </div>
);
