import { hourMs } from "#domain/calendar.ts";
import { deleteEndedSecrets, deleteOldSecrets, endSecrets, insertSecret } from "#store/webhooks.ts";
import { webhooksLock } from "../locks.ts";
import { auditedChange, isArchived, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";
import type { SealedSecret } from "./create-webhook.ts";
import { gatherWebhook, noWebhook, type WebhookCall } from "./webhook-call.ts";

export interface RotateWebhookCall extends WebhookCall {
  readonly kind: "rotate-webhook";
  readonly secret: SealedSecret;
  /** The hours for which deliveries are also signed with the previous secret. */
  readonly graceHours: number;
}

export const rotateWebhook: Operation<RotateWebhookCall, ReturnType<typeof gatherWebhook>, undefined> = {
  kind: "rotate-webhook",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather: gatherWebhook,
  locks: ({ programId }) => ({ exclusive: [webhooksLock(programId)] }),

  decide(call, { done, webhook }, context) {
    const { programId, webhookId, secret, graceHours, at } = call;
    if (webhook === undefined) return refuse(noWebhook);
    if (done !== undefined) return noChange(programId, undefined);
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const writes = [
      deleteOldSecrets({ id: webhookId }),
      endSecrets({ id: webhookId, expiresAt: at + graceHours * hourMs }),
      deleteEndedSecrets({ id: webhookId, at }),
      insertSecret({ ...secret, programId, webhookId, createdAt: at, expiresAt: null }),
    ];
    const after = { graceHours };
    const change = { programId, action: "webhook.rotated", subject: `webhook ${webhookId}`, before: null, after };
    return auditedChange(call, change, { writes, answer: undefined }, context);
  },
};
