import { maskUrl } from "#domain/mask-url.ts";
import { updateWebhook as updateRow, type WebhookRow } from "#store/webhooks.ts";
import { webhooksLock } from "../locks.ts";
import { diff, isArchived, noChange, type Patch, settingsChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";
import { firstExample, gatherWebhook, noWebhook, type WebhookCall } from "./webhook-call.ts";

type Changeable = Pick<WebhookRow, "url" | "description" | "types" | "status">;

export interface UpdateWebhookCall extends WebhookCall {
  readonly kind: "update-webhook";
  /** `types` is a JSON array. */
  readonly changes: Patch<Changeable>;
}

const changeable = ({ url, description, types, status }: WebhookRow): Changeable => ({
  url,
  description,
  types,
  status,
});

const withMaskedUrl = (values: Partial<Changeable>): Partial<Changeable> =>
  values.url === undefined ? values : { ...values, url: maskUrl(values.url) };

export const updateWebhook: Operation<UpdateWebhookCall, ReturnType<typeof gatherWebhook>, undefined> = {
  kind: "update-webhook",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather: gatherWebhook,
  locks: ({ programId }) => ({ exclusive: [webhooksLock(programId)] }),

  decide(call, { done, webhook }, context) {
    const { programId, webhookId, at } = call;
    if (webhook === undefined) return refuse(noWebhook);
    const changed = diff(changeable(webhook), call.changes);
    if (done !== undefined || changed === undefined) return noChange(programId, undefined);
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const { row, before, after } = changed;
    const isEnabled = after.status === "active";
    const hasToProve = after.url !== undefined || (isEnabled && webhook.provedAt === null);
    const example = hasToProve ? firstExample(call, row.types === null ? null : JSON.parse(row.types)) : [];
    const change = {
      programId,
      action: "webhook.updated",
      subject: `webhook ${webhookId}`,
      before: withMaskedUrl(before),
      after: withMaskedUrl(after),
    };
    const effect = { writes: [updateRow({ id: webhookId, at, ...row }), ...example], answer: undefined };
    return settingsChange(call, change, effect, context);
  },
};
