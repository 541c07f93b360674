import { addReplay, replaysUnderWay } from "#store/webhooks.ts";
import { webhooksLock } from "../locks.ts";
import { auditedChange, isArchived, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";
import { gatherWebhook, noWebhook, type WebhookCall } from "./webhook-call.ts";

export interface ReplayWebhookCall extends WebhookCall {
  readonly kind: "replay-webhook";
  readonly fromSeq: number;
  readonly toSeq: number;
}

const gather = (call: ReplayWebhookCall) => ({
  ...gatherWebhook(call),
  underWay: replaysUnderWay(call.programId),
});

export const replayWebhook: Operation<ReplayWebhookCall, ReturnType<typeof gather>, undefined> = {
  kind: "replay-webhook",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [webhooksLock(programId)] }),

  decide(call, { done, webhook, underWay }, context) {
    const { programId, webhookId, fromSeq, toSeq } = call;
    if (webhook === undefined) return refuse(noWebhook);
    if (done !== undefined) return noChange(programId, undefined);
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (webhook.status === "disabled") return refuse({ code: "webhook_disabled" });
    if (webhook.provedAt === null) return refuse({ code: "webhook_unproved" });
    const asked = underWay.flatMap(({ replays }) => replays.filter(([, , waited]) => waited === undefined));
    if (asked.length > 0) return refuse({ code: "too_many_replays" });
    const writes = [addReplay({ id: webhookId, from: fromSeq, to: toSeq })];
    const after = { fromSeq, toSeq };
    const change = { programId, action: "webhook.replayed", subject: `webhook ${webhookId}`, before: null, after };
    return auditedChange(call, change, { writes, answer: undefined }, context);
  },
};
