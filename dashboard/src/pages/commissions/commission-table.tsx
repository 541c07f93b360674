import type { JSX } from "preact";
import { Money } from "../../components/numbers.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Instant } from "../../components/time.tsx";
import { explainAddress } from "../../explain-address.ts";
import { useProgram } from "../../session.tsx";
import { CommissionBadge } from "./commission-badge.tsx";
import { mayReject } from "./decide.ts";
import type { Commission } from "./queries.ts";

interface CommissionTableProps {
  readonly commissions: readonly Commission[];
  readonly partners: readonly { readonly id: number; readonly name: string }[];
  readonly isStale: boolean;
  /** Undefined if the user can't act on a selection. */
  readonly selectedIds: ReadonlySet<number> | undefined;
  readonly onSelect: (ids: ReadonlySet<number>) => void;
  /** Refusals of the last decision, by commission ID. */
  readonly refusals: ReadonlyMap<number, string | undefined>;
}

export function CommissionTable(props: CommissionTableProps): JSX.Element {
  const { commissions, partners, isStale, selectedIds, refusals } = props;
  const { program } = useProgram();
  const columns: Column<Commission>[] = [
    ...(selectedIds === undefined ? [] : [selector({ ...props, selectedIds })]),
    {
      head: "Sale",
      cell: ({ id, transactionId, customerKey }) => (
        <span class="two-lines">
          <a class="plain-link breakable" href={explainAddress(program.id, { commissionId: String(id) })}>
            {transactionId}
          </a>
          <small>{customerKey ?? "No customer key"}</small>
        </span>
      ),
    },
    {
      head: "Partner",
      cell: ({ partnerId, partnerCode }) => {
        if (partnerCode === null) return <span class="soft">None</span>;
        const name = partners.find(({ id }) => id === partnerId)?.name;
        return (
          <span class="two-lines">
            <span class="clipped" title={name}>
              {name}
            </span>
            <small class="clipped">{partnerCode}</small>
          </span>
        );
      },
    },
    {
      head: "Status",
      cell: (commission) => (
        <span class="two-lines">
          <CommissionBadge {...commission} />
          {refusals.get(commission.id) !== undefined && <small class="fault">{refusals.get(commission.id)}</small>}
        </span>
      ),
    },
    {
      head: "Commission",
      isNumber: true,
      cell: ({ amountCents, currency }) => <Money amountCents={amountCents} currency={currency} />,
    },
    {
      head: "Held until",
      cell: ({ status, holdUntil }) => (status === "pending" && holdUntil ? <Instant at={holdUntil} /> : "–"),
    },
    { head: "Created", cell: ({ createdAt }) => <Instant at={createdAt} /> },
  ];
  return (
    <Table
      caption="Commissions, newest first"
      columns={columns}
      rows={commissions}
      rowKey={({ id }) => id}
      isStale={isStale}
    />
  );
}

/** Arrow keys move between the checkboxes; with Shift they also select. */
function selector({
  commissions,
  selectedIds,
  onSelect,
}: CommissionTableProps & { readonly selectedIds: ReadonlySet<number> }): Column<Commission> {
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
      <input
        type="checkbox"
        class="selector"
        aria-label="Select all on this page"
        checked={isAll}
        disabled={open.length === 0}
        onChange={() => onSelect(new Set(isAll ? [] : open.map(({ id }) => id)))}
      />
    ),
    cell: (commission) =>
      mayReject(commission) && (
        <input
          type="checkbox"
          class="selector"
          id={`select-${commission.id}`}
          aria-label={`Select ${commission.transactionId}`}
          checked={selectedIds.has(commission.id)}
          onChange={(event) => withOrWithout(commission.id, event.currentTarget.checked)}
          onKeyDown={(event) => onKeyDown(event, commission.id)}
        />
      ),
  };
}
