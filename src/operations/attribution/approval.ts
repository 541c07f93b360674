import type { Context } from "../operation.ts";

/**
 * Makes a commission's amount payable. Approvals that are written together may share one. `at`: the instant of the call
 * (ms).
 */
export const newApproval = ({ newId, postingAt }: Pick<Context, "newId" | "postingAt">, at: number) => ({
  approvedAt: Math.max(at, postingAt()),
  payableNumber: newId("ledgerEntries"),
});

export const noApproval = { approvedAt: null, approvedBy: null, payableNumber: null } as const;
