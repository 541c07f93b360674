import type { EntryRow } from "#store/commissions.ts";
import type { Context } from "./operation.ts";

type Subject = "commissionId" | "refundId" | "adjustmentId" | "payoutLineId";

/** Columns that don't apply to the entry are null. */
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
