import type { EntryRow } from "#store/commissions.ts";
import type { Context } from "./operation.ts";

type Subject = "commissionId" | "refundId" | "adjustmentId" | "payoutLineId";

/** A row of `ledger_entries`. A column that the caller leaves out is null. */
export const newEntry = (
  {
    commissionId = null,
    refundId = null,
    adjustmentId = null,
    payoutLineId = null,
    ...entry
  }: Omit<EntryRow, Subject | "id" | "createdAt"> & { readonly [Name in Subject]?: number | null | undefined },
  context: Context,
): EntryRow => ({
  ...entry,
  id: context.newId("ledgerEntries"),
  commissionId,
  refundId,
  adjustmentId,
  payoutLineId,
  createdAt: context.postingAt(),
});
