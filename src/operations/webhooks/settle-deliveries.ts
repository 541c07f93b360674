import { dayMs } from "#domain/calendar.ts";
import type { ProgramId, WebhookId } from "#domain/ids.ts";
import { type Progress, type SettledDelivery, settleDeliveries as settle } from "#store/webhook-deliveries.ts";
import { webhooksLock } from "../locks.ts";
import type { Call, Operation } from "../operation.ts";

const failedKeptMs = 7 * dayMs;

/** Stores the results of delivery attempts. The webhook sender makes this call. */
export interface SettleDeliveriesCall extends Call {
  readonly kind: "settle-deliveries";
  readonly programId: ProgramId;
  readonly webhookId: WebhookId;
  readonly settled: readonly SettledDelivery[];
  readonly progress: Progress;
}

const mayDisable = ({ health }: Progress): boolean => health?.disablesSince != null;

export const settleDeliveries: Operation<SettleDeliveriesCall, Record<never, never>, undefined> = {
  kind: "settle-deliveries",
  lane: "control",
  isExclusive: ({ progress }) => mayDisable(progress),
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather: () => ({}),
  locks: ({ programId }) => ({ exclusive: [], shared: [webhooksLock(programId)] }),

  decide({ programId, webhookId: id, settled, progress, at }) {
    const writes = settle({ id, programId }, settled, progress, { at, forgetBefore: at - failedKeptMs });
    const commit = { kind: "commit", programId, answer: undefined, writes } as const;
    return mayDisable(progress) ? { ...commit, changes: { programId } } : commit;
  },
};
