import type { ProgramId, Shard, WebhookId } from "#domain/ids.ts";
import type { LoggedAttempt, LoggedDelivery } from "./attempt-log.ts";

export interface DelivererRpc {
  /** Has the shard's due mails sent soon. It survives a restart. */
  wake(shard: Shard): Promise<void>;
}

export interface LogQuery {
  /** Position of the last one of the page before. */
  readonly before: number;
  readonly limit: number;
  readonly isDelivered?: boolean | undefined;
}

export interface WebhookSenderRpc {
  /** Has what the program's webhooks wait for sent soon. It survives a restart. */
  wake(shard: Shard, programId: ProgramId): Promise<void>;
  /** Attempts of the last days, by their events. */
  /** The attempts of each of these events. */
  attempts(webhookId: WebhookId, eventIds: readonly string[]): Promise<readonly (readonly LoggedAttempt[])[]>;
  log(webhookId: WebhookId, query: LogQuery): Promise<readonly LoggedDelivery[]>;
}
