import type { Column } from "../../components/table.tsx";
import type { CommissionTableProps } from "./commission-table.tsx";
import { mayReject } from "./decide.ts";
import type { Commission } from "./queries.ts";

type SelectorProps = Pick<CommissionTableProps, "commissions" | "isSelectable" | "onSelect"> & {
  readonly selectedIds: ReadonlySet<number>;
};

/** Arrow keys move between the checkboxes; with Shift they also select. */
export function selector({
  commissions,
  isSelectable = true,
  selectedIds,
  onSelect,
}: SelectorProps): Column<Commission> {
  const open = commissions.filter(mayReject);
  const isAll = open.length > 0 && open.every(({ id }) => selectedIds.has(id));
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
    const next = open[open.findIndex((each) => each.id === id) + step];
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
          disabled={open.length === 0 || !isSelectable}
          onChange={() => onSelect(new Set(isAll ? [] : open.map(({ id }) => id)))}
        />
      </label>
    ),
    cell: (commission) =>
      mayReject(commission) && (
        <label class="selector">
          <span class="unseen">Select {commission.transactionId}</span>
          <input
            type="checkbox"
            id={`select-${commission.id}`}
            checked={selectedIds.has(commission.id)}
            disabled={!isSelectable}
            onChange={(event) => withOrWithout(commission.id, event.currentTarget.checked)}
            onKeyDown={(event) => onKeyDown(event, commission.id)}
          />
        </label>
      ),
  };
}
