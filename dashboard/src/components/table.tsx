import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { moveBetweenRows } from "./row-keys.ts";
import { watchScroller } from "./table-scroller.ts";

export interface Column<Row> {
  readonly head: string;
  readonly control?: ComponentChildren;
  readonly cell: (row: Row) => ComponentChildren;
  /**
   * Aligns the cells to the end and never cuts them off, for numbers, amounts, times and buttons. Other cells show as
   * much as fits.
   */
  readonly isNumber?: boolean;
  readonly sort?: "ascending" | "descending" | undefined;
}

interface TableProps<Row> {
  /** The table's title for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  readonly rowClass?: (row: Row) => string | undefined;
  readonly isStale?: boolean;
}

/** On a phone, each row is a card. That layout drops the table's implicit roles, so they are explicit. */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
  rowClass,
  isStale = false,
}: TableProps<Row>): JSX.Element {
  const rowFocus = useRowFocus();
  return (
    <section class="table" aria-label={caption} tabIndex={-1} aria-busy={isStale} {...rowFocus}>
      <div class="table-scroll" ref={watchScroller}>
        {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
        <table role="table">
          <caption class="unseen">{caption}</caption>
          {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
          <thead role="rowgroup">
            {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
            <tr role="row">
              {columns.map(({ head, control, isNumber, sort }) => (
                // biome-ignore lint/a11y/noRedundantRoles: see above
                <th key={head} role="columnheader" scope="col" aria-sort={sort} class={isNumber ? "number" : undefined}>
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
    </section>
  );
}

/** Moves focus between rows by arrow keys, and keeps focus in the table if a render removes the focused row. */
function useRowFocus() {
  const table = useRef<HTMLElement>(null);
  const isInside = useRef(false);
  useLayoutEffect(() => {
    if (isInside.current && document.activeElement === document.body) table.current?.focus({ preventScroll: true });
  });
  return {
    ref: table,
    onKeyDown: moveBetweenRows,
    onFocusIn: () => {
      isInside.current = true;
    },
    onFocusOut: ({ target }: FocusEvent) => {
      // A control that is being removed is still connected while it loses focus.
      queueMicrotask(() => {
        isInside.current &&= target instanceof Node && !target.isConnected;
      });
    },
  };
}

/** Focuses the table and scrolls to its top, after the user has changed to another page of a list. */
export function focusTable(within: Element | null | undefined): void {
  const table = within?.querySelector<HTMLElement>(".table");
  table?.focus({ preventScroll: true });
  table?.scrollIntoView({ block: "start" });
}

export const TableSkeleton = ({ rows }: { readonly rows: number }): JSX.Element => (
  <div class="table-skeleton">
    {Array.from({ length: rows + 1 }, (_, row) => (
      <span key={row} />
    ))}
  </div>
);
