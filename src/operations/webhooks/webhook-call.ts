import type { WebhookId } from "#domain/ids.ts";
import { auditOfOperation } from "#store/audit.ts";
import { webhookOfProgram } from "#store/webhooks.ts";
import type { ChangeCall } from "../manage/settings-change.ts";

export interface WebhookCall extends ChangeCall {
  readonly webhookId: WebhookId;
}

export const gatherWebhook = ({ operationId, programId, webhookId }: WebhookCall) => ({
  done: auditOfOperation({ operationId }),
  webhook: webhookOfProgram({ programId, id: webhookId }),
});

export const noWebhook = { code: "not_found", what: "webhook" } as const;
