import type { Reconciliation } from "#domain/reconciliation.ts";
import { saveReconciliation } from "#store/reconciliations.ts";
import type { Call, Credential, Operation } from "./operation.ts";

export interface ReportReconciliationCall extends Call {
  readonly kind: "report-reconciliation";
  readonly key: Credential;
  readonly reported: Omit<Reconciliation, "reportedAt">;
}

export const reportReconciliation: Operation<ReportReconciliationCall, Record<never, never>, Reconciliation> = {
  kind: "report-reconciliation",
  lane: "control",
  needs: () => [],
  gather: () => ({}),
  locks: ({ key }) => ({ exclusive: [`reconciliation ${key.programId}`] }),

  decide({ key: { programId }, reported, at }) {
    const answer = { ...reported, reportedAt: at };
    return { kind: "commit", programId, answer, writes: [saveReconciliation({ programId, ...answer })] };
  },
};
