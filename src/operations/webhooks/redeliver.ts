import { dueDelivery } from "#store/webhooks.ts";
import { webhooksLock } from "../locks.ts";
import { isArchived } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";
import { dueExample, gatherWebhook, noWebhook, type WebhookCall } from "./webhook-call.ts";

export interface RedeliverCall extends WebhookCall {
  readonly kind: "redeliver";
  readonly eventId: string;
  readonly type: string;
  /** Null for an example event. */
  readonly seq: number | null;
}

/** Sends one event again. */
export const redeliver: Operation<RedeliverCall, ReturnType<typeof gatherWebhook>, undefined> = {
  kind: "redeliver",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather: gatherWebhook,
  locks: ({ programId }) => ({ exclusive: [], shared: [webhooksLock(programId)] }),

  decide(call, { webhook }, context) {
    const { programId, webhookId, eventId, type, seq, at } = call;
    if (webhook === undefined) return refuse(noWebhook);
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (webhook.status === "disabled") return refuse({ code: "webhook_disabled" });
    if (seq !== null && webhook.provedAt === null) return refuse({ code: "webhook_unproved" });
    const writes =
      seq === null
        ? dueExample(call, { eventId, type })
        : [dueDelivery({ webhookId, programId, eventId, type, seq, dueAt: at })];
    return { kind: "commit", programId, answer: undefined, writes };
  },
};
