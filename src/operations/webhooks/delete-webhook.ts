import { maskUrl } from "#domain/mask-url.ts";
import { deleteWebhook as deleteRows } from "#store/webhooks.ts";
import { webhooksLock } from "../locks.ts";
import { noChange, settingsChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";
import { gatherWebhook, noWebhook, type WebhookCall } from "./webhook-call.ts";

export interface DeleteWebhookCall extends WebhookCall {
  readonly kind: "delete-webhook";
}

export const deleteWebhook: Operation<DeleteWebhookCall, ReturnType<typeof gatherWebhook>, undefined> = {
  kind: "delete-webhook",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather: gatherWebhook,
  locks: ({ programId }) => ({ exclusive: [webhooksLock(programId)] }),

  decide(call, { done, webhook }, context) {
    const { programId, webhookId } = call;
    if (done !== undefined) return noChange(programId, undefined);
    if (webhook === undefined) return refuse(noWebhook);
    const { url, description, types } = webhook;
    const before = { url: maskUrl(url), description, types };
    const change = { programId, action: "webhook.deleted", subject: `webhook ${webhookId}`, before, after: null };
    return settingsChange(call, change, { writes: deleteRows(webhookId), answer: undefined }, context);
  },
};
