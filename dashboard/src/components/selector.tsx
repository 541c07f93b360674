import type { Column } from "./table.tsx";

interface SelectorProps<Row> {
  /** The rows of the page that can be selected. */
  readonly rows: readonly Row[];
  readonly isSelectable: boolean;
  readonly selectedIds: ReadonlySet<number>;
  readonly onSelect: (ids: ReadonlySet<number>) => void;
  readonly nameOf: (row: Row) => string;
}

/** Checkboxes that select rows. Arrow keys move between them; with Shift they also select. */
export function selector<Row extends { readonly id: number }>({
  rows,
  isSelectable,
  selectedIds,
  onSelect,
  nameOf,
}: SelectorProps<Row>): Column<Row> {
  const isAll = rows.length > 0 && rows.every(({ id }) => selectedIds.has(id));
  const withOrWithout = (id: number, isIn: boolean) => {
    const next = new Set(selectedIds);
    if (isIn) next.add(id);
    else next.delete(id);
    onSelect(next);
  };
  const onKeyDown = (event: KeyboardEvent, id: number) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = rows[rows.findIndex((each) => each.id === id) + step];
    if (next === undefined) return;
    document.getElementById(`select-${next.id}`)?.focus();
    if (event.shiftKey) onSelect(new Set([...selectedIds, id, next.id]));
  };
  return {
    head: "Select",
    control: (
      <label class="selector">
        <span class="unseen">Select all on this page</span>
        <input
          type="checkbox"
          checked={isAll}
          disabled={rows.length === 0 || !isSelectable}
          onChange={() => onSelect(new Set(isAll ? [] : rows.map(({ id }) => id)))}
        />
      </label>
    ),
    cell: (row) =>
      rows.includes(row) && (
        <label class="selector">
          <span class="unseen">Select {nameOf(row)}</span>
          <input
            type="checkbox"
            id={`select-${row.id}`}
            checked={selectedIds.has(row.id)}
            disabled={!isSelectable}
            onChange={(event) => withOrWithout(row.id, event.currentTarget.checked)}
            onKeyDown={(event) => onKeyDown(event, row.id)}
          />
        </label>
      ),
  };
}
