import type { WebhookId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { exampleId, firstExampleType } from "#domain/webhooks.ts";
import { auditOfOperation } from "#store/audit.ts";
import type { Write } from "#store/statement.ts";
import { deleteExamples, dueDelivery, webhookOfProgram } from "#store/webhooks.ts";
import type { ChangeCall } from "../manage/settings-change.ts";

export interface WebhookCall extends ChangeCall {
  readonly webhookId: WebhookId;
}

export const gatherWebhook = ({ operationId, programId, webhookId }: WebhookCall) => ({
  done: auditOfOperation({ operationId }),
  webhook: webhookOfProgram({ programId, id: webhookId }),
});

type Addressed = Pick<WebhookCall, "operationId" | "programId" | "webhookId" | "at">;

/** Schedules an example event. It replaces an earlier example that is still to be retried. */
export const dueExample = (
  { programId, webhookId, at }: Addressed,
  example: { readonly eventId: string; readonly type: string },
): readonly Write[] => [
  deleteExamples({ id: webhookId }),
  dueDelivery({ webhookId, programId, ...example, seq: null, dueAt: at }),
];

/** Schedules the example event that checks a new URL. */
export const firstExample = (call: Addressed, types: readonly string[] | null): readonly Write[] =>
  dueExample(call, { eventId: exampleId(call.operationId), type: firstExampleType(types) });

export const noWebhook = notFound("webhook");
