import { caps } from "#domain/caps.ts";
import type { WebhookId } from "#domain/ids.ts";
import { maskUrl } from "#domain/mask-url.ts";
import { auditOfOperation } from "#store/audit.ts";
import { insertSecret, insertWebhook, webhookCount } from "#store/webhooks.ts";
import { webhooksLock } from "../locks.ts";
import { type ChangeCall, isArchived, noChange, settingsChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";
import { firstExample } from "./webhook-call.ts";

export interface SealedSecret {
  readonly sealId: string;
  /** Encrypted with DATA_KEYS. */
  readonly sealed: string;
}

export interface CreateWebhookCall extends ChangeCall {
  readonly kind: "create-webhook";
  readonly url: string;
  readonly description: string;
  /** Null for all types. */
  readonly types: readonly string[] | null;
  /** True if the webhook receives test events instead of live ones. */
  readonly testMode: boolean;
  readonly secret: SealedSecret;
}

export interface WebhookCreated {
  readonly webhookId: WebhookId;
}

const gather = ({ operationId, programId }: CreateWebhookCall) => ({
  done: auditOfOperation({ operationId }),
  webhooks: webhookCount({ programId }),
});

export const createWebhook: Operation<CreateWebhookCall, ReturnType<typeof gather>, WebhookCreated> = {
  kind: "create-webhook",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [webhooksLock(programId)] }),

  decide(call, { done, webhooks }, context) {
    const { programId, url, description, types, testMode, secret, at } = call;
    if (done?.after != null) {
      const { webhookId } = JSON.parse(done.after) as WebhookCreated;
      return noChange(programId, { webhookId });
    }
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (webhooks >= caps.webhooks.max) return refuse({ code: "webhooks_full" });
    const webhookId = context.newId("webhooks");
    const row = { id: webhookId, programId, isTest: testMode, url, description, createdAt: at };
    const writes = [
      insertWebhook({ ...row, types: types && JSON.stringify(types) }),
      insertSecret({ ...secret, programId, webhookId, createdAt: at, expiresAt: null }),
      ...firstExample({ ...call, webhookId }, types),
    ];
    const after = { webhookId, url: maskUrl(url), description, types, testMode };
    const change = { programId, action: "webhook.created", subject: `webhook ${webhookId}`, before: null, after };
    return settingsChange(call, change, { writes, answer: { webhookId } }, context);
  },
};
