import { earliest } from "#domain/calendar.ts";
import type { FrozenPast } from "#domain/explain/frozen.ts";
import type { CommissionId } from "#domain/ids.ts";
import type { CommissionRow } from "#store/commissions.ts";
import type { CustomerRow } from "#store/customers.ts";
import type { SaleRow } from "#store/sales.ts";

export interface SalesHistory {
  readonly firstAttributedSaleAt: number | undefined;
  /**
   * The id of the customer's `one_time` commission: the only one that a policy with scope `one_time` pays for a
   * customer. `waiting` if a sale that is still to be reattributed has reserved it.
   */
  readonly oneTime: number | "waiting" | undefined;
  /**
   * The instant (ms) of the customer's first sale in the program they were imported from. That program has already paid
   * the commission for this sale.
   */
  readonly importedFirstSaleAt: number | undefined;
}

export const noSales: SalesHistory = {
  firstAttributedSaleAt: undefined,
  oneTime: undefined,
  importedFirstSaleAt: undefined,
};

export const historyOf = (customer: CustomerRow): SalesHistory => ({
  firstAttributedSaleAt: customer.firstAttributedSaleAt ?? undefined,
  oneTime: customer.oneTimeCommissionId ?? undefined,
  importedFirstSaleAt: customer.importedFirstSaleAt ?? undefined,
});

/** The history of a customer without any sale credited to the partner. */
export const noSalesYet = (customer: CustomerRow): SalesHistory =>
  historyOf({ ...customer, firstAttributedSaleAt: null, oneTimeCommissionId: null });

export const historyColumns = ({ firstAttributedSaleAt, oneTime }: SalesHistory) => ({
  firstAttributedSaleAt: firstAttributedSaleAt ?? null,
  oneTimeCommissionId: typeof oneTime === "number" ? oneTime : null,
});

/**
 * Includes the customer's first sale in the program they were imported from, because that program has already paid a
 * commission for it.
 */
export const pastOf = ({ firstAttributedSaleAt, oneTime, importedFirstSaleAt }: SalesHistory) => ({
  firstAttributedSaleAt: earliest(importedFirstSaleAt, firstAttributedSaleAt),
  isOneTimeTaken: oneTime !== undefined || importedFirstSaleAt !== undefined,
});

/**
 * The history that decides a corrected sale, if the sale or an earlier version of it had the customer's `one_time`
 * commission. Importing the customer later doesn't take this commission away from the sale, unless another sale has it
 * now. The months of a `recurring` policy still start at the first sale in the former program.
 */
export const historyWithPlaceFree = (history: SalesHistory): SalesHistory => ({
  ...history,
  firstAttributedSaleAt: pastOf(history).firstAttributedSaleAt,
  importedFirstSaleAt: undefined,
});

/** The facts about the customer's other sales that the decision used. Empty if it used none. */
export function frozenPast(history: SalesHistory): { readonly past?: FrozenPast } {
  const { firstAttributedSaleAt, isOneTimeTaken } = pastOf(history);
  if (firstAttributedSaleAt === undefined && !isOneTimeTaken) return {};
  const isElsewhere = history.importedFirstSaleAt !== undefined || typeof history.oneTime !== "number";
  return {
    past: {
      firstAttributedSaleAt: firstAttributedSaleAt ?? null,
      isOneTimeTaken,
      oneTimeCommissionId: isElsewhere ? null : history.oneTime,
    },
  };
}

/** A void or fully reversed commission doesn't use up the customer's `one_time` commission. */
export const takesPlace = ({ status }: { readonly status: CommissionRow["status"] }): boolean =>
  status !== "void" && status !== "reversed";

export function historyAfter(
  history: SalesHistory,
  { occurredAt }: Pick<SaleRow, "occurredAt">,
  commission: { readonly id: CommissionId; readonly status: CommissionRow["status"] },
): SalesHistory {
  return {
    ...history,
    firstAttributedSaleAt: Math.min(history.firstAttributedSaleAt ?? occurredAt, occurredAt),
    oneTime: history.oneTime ?? (takesPlace(commission) ? commission.id : undefined),
  };
}
