import type { Context } from "../operation.ts";

/**
 * Column values that mark a commission as approved and payable. Several approvals in one commit may share the same
 * values. `at` is the instant of the call (ms).
 */
export const newApproval = ({ newId, postingAt }: Pick<Context, "newId" | "postingAt">, at: number) => ({
  approvedAt: Math.max(at, postingAt()),
  payableNumber: newId("ledgerEntries"),
});

export const noApproval = { approvedAt: null, approvedBy: null, payableNumber: null } as const;
