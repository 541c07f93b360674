import { earliest } from "#domain/calendar.ts";
import type { FrozenPast } from "#domain/explain/frozen.ts";
import type { CommissionId } from "#domain/ids.ts";
import type { CommissionRow } from "#store/commissions.ts";
import type { CustomerRow } from "#store/customers.ts";
import type { SaleRow } from "#store/sales.ts";

export interface SalesHistory {
  readonly firstAttributedSaleAt: number | undefined;
  /** The commission that took the customer's `one_time` place; `waiting`: reserved by a sale that has yet to follow. */
  readonly oneTime: number | "waiting" | undefined;
  /** The first sale at a former program, which has paid for it. */
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

/** A history without any sale of the partner. */
export const noSalesYet = (customer: CustomerRow): SalesHistory =>
  historyOf({ ...customer, firstAttributedSaleAt: null, oneTimeCommissionId: null });

export const historyColumns = ({ firstAttributedSaleAt, oneTime }: SalesHistory) => ({
  firstAttributedSaleAt: firstAttributedSaleAt ?? null,
  oneTimeCommissionId: typeof oneTime === "number" ? oneTime : null,
});

/** A former program has paid for the customer's first sale there. */
export const pastOf = ({ firstAttributedSaleAt, oneTime, importedFirstSaleAt }: SalesHistory) => ({
  firstAttributedSaleAt: earliest(importedFirstSaleAt, firstAttributedSaleAt),
  isOneTimeTaken: oneTime !== undefined || importedFirstSaleAt !== undefined,
});

/** The facts about the customer's other sales that the decision used, if any. */
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

/** A fully reversed commission doesn't take the `one_time` place. */
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
