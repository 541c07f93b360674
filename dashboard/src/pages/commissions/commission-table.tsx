import "./commissions.css";
import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { dayIn } from "#domain/calendar.ts";
import { Badge } from "../../components/badge.tsx";
import { Money, Percent } from "../../components/numbers.tsx";
import { OpensRows } from "../../components/opens-rows.tsx";
import { selector } from "../../components/selector.tsx";
import { useSorting } from "../../components/sorting.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatDate, formatMoney } from "../../format.ts";
import { flaggedLabel, reasonLabels } from "../../outcome-labels.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, useFilters } from "../../url.ts";
import { CommissionBadge } from "./commission-badge.tsx";
import { isUnconfirmed, mayReject } from "./decide.ts";
import { type Commission, sortingOf, statusOf } from "./queries.ts";
import { isRefundedInPayout } from "./refunded-in-payout.ts";

export interface CommissionTableProps {
  readonly commissions: readonly Commission[];
  readonly isBusy: boolean;
  readonly isSelectable?: boolean;
  readonly isOfOnePartner?: boolean;
  /** Undefined if the user can't act on a selection. */
  readonly selectedIds: ReadonlySet<number> | undefined;
  readonly onSelect: (ids: ReadonlySet<number>) => void;
  /** Refusals of the last decision, by commission ID. */
  readonly refusals: ReadonlyMap<number, string | undefined>;
}

const selectorOf = (
  { commissions, isSelectable = true, onSelect }: CommissionTableProps,
  selectedIds: ReadonlySet<number>,
): Column<Commission> =>
  selector({
    rows: commissions.filter(mayReject),
    isSelectable,
    selectedIds,
    onSelect,
    nameOf: ({ transactionId }) => transactionId,
  });

export function CommissionTable(props: CommissionTableProps): JSX.Element {
  const { commissions, isBusy, isOfOnePartner = false, selectedIds } = props;
  const [filters] = useFilters();
  const { path } = useLocation();
  const sorted = useSorting(sortingOf(filters));
  const isVoid = statusOf(filters) === "void";
  const columns: Column<Commission>[] = [
    ...(selectedIds === undefined || isVoid ? [] : [selectorOf(props, selectedIds)]),
    {
      ...sorted("date", "Sale date"),
      cell: ({ saleDate }) => <time dateTime={saleDate}>{formatDate(saleDate)}</time>,
    },
    {
      head: "Order",
      cell: ({ id, transactionId, customerKey }) => (
        <span class="two-lines">
          <a
            class="plain-link row-link clipped"
            title={transactionId}
            href={addressWith(path, { ...filters, commission: String(id) })}
          >
            <bdi>{transactionId}</bdi>
          </a>
          <small class="clipped" title={customerKey ?? undefined}>
            <bdi>{customerKey ?? "No customer key"}</bdi>
          </small>
        </span>
      ),
    },
    ...(isOfOnePartner
      ? []
      : [{ head: "Partner", cell: (commission: Commission) => <PartnerCell commission={commission} /> }]),
    {
      head: "Sale",
      isNumber: true,
      cell: (commission) => <SaleCell commission={commission} />,
    },
    isVoid
      ? { head: "Reason", cell: ({ reason }) => (reason === null ? "" : (reasonLabels[reason] ?? reason)) }
      : {
          ...sorted("amount", "Commission"),
          isNumber: true,
          cell: (commission) => <AmountCell commission={commission} />,
        },
    ...(isVoid
      ? []
      : [
          {
            head: "Status",
            cell: (commission: Commission) => (
              <StatusCell commission={commission} refusal={props.refusals.get(commission.id)} />
            ),
          },
        ]),
  ];
  return (
    <OpensRows>
      <div class="commissions">
        <Table caption="Commissions" columns={columns} rows={commissions} rowKey={({ id }) => id} isStale={isBusy} />
      </div>
    </OpensRows>
  );
}

interface CellProps {
  readonly commission: Commission;
}

const PartnerCell = ({ commission: { partnerName, partnerCode } }: CellProps): JSX.Element =>
  partnerCode === null ? (
    <span class="soft">None</span>
  ) : (
    <span class="two-lines">
      <span class="clipped" title={partnerName ?? undefined}>
        <bdi>{partnerName}</bdi>
      </span>
      <small class="clipped">{partnerCode}</small>
    </span>
  );

/**
 * Shows a partial refund. A reversed commission's status already says that the sale was refunded, and a correction
 * isn't a refund to the customer.
 */
function SaleCell({ commission }: CellProps): JSX.Element {
  const { saleAmountCents, saleRefundedCents, saleCurrency, status, corrected } = commission;
  const isPartlyRefunded = saleRefundedCents > 0 && status !== "reversed" && !corrected;
  return (
    <span class="two-lines">
      <Money amountCents={saleAmountCents} currency={saleCurrency} />
      {isPartlyRefunded && <small>{formatMoney(saleRefundedCents, saleCurrency)} refunded</small>}
    </span>
  );
}

/** A rejected, refunded or corrected commission is 0: its former amount is struck through. */
function AmountCell({ commission }: CellProps): JSX.Element {
  const { status, corrected, amountCents, initialCents, currency, appliedRateBps: rateBps } = commission;
  const isGone = status === "rejected" || status === "reversed" || corrected || isRefundedInPayout(commission);
  return (
    <span class="two-lines">
      {isGone ? (
        <s>
          <Money amountCents={initialCents} currency={currency} />
        </s>
      ) : (
        <Money amountCents={amountCents} currency={currency} />
      )}
      {rateBps !== null && (
        <small>
          <Percent of={rateBps / 100} />
        </small>
      )}
    </span>
  );
}

function StatusCell({ commission, refusal }: CellProps & { readonly refusal: string | undefined }): JSX.Element {
  const { program } = useProgram();
  const { status, held, holdUntil, reasons } = commission;
  const isReleasedByTime = status === "pending" && !held && !isUnconfirmed(commission) && holdUntil !== null;
  return (
    <span class="two-lines">
      <CommissionBadge {...commission} />
      {!held && reasons.length > 0 && <Badge tone="warn">{flaggedLabel}</Badge>}
      {reasons.map(({ code, text }) => (
        <small key={code} class="clipped" title={text}>
          {text}
        </small>
      ))}
      {status === "paid" && commission.corrected && <small>After it was paid</small>}
      {status === "paid" && isRefundedInPayout(commission) && <small>Refunded after it was paid</small>}
      {isReleasedByTime && <small>Releases {formatDate(dayIn(program.timezone, Date.parse(holdUntil)))}</small>}
      {refusal !== undefined && <small class="fault">{refusal}</small>}
    </span>
  );
}
