import type { Context } from "../operation.ts";

/**
 * Columns that make a commission's amount payable. Approvals in one commit may share them. `at` is the instant of the
 * call (ms).
 */
export const newApproval = ({ newId, postingAt }: Pick<Context, "newId" | "postingAt">, at: number) => ({
  approvedAt: Math.max(at, postingAt()),
  payableNumber: newId("ledgerEntries"),
});

export const noApproval = { approvedAt: null, approvedBy: null, payableNumber: null } as const;
