import type { ProgramId, Shard, WebhookId } from "#domain/ids.ts";

export interface DelivererRpc {
  /** Has the shard's due mails sent soon. It survives a restart. */
  wake(shard: Shard): Promise<void>;
}

export interface LoggedAttempt {
  readonly at: number;
  /** Null: there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly response: string;
}

export interface LoggedDelivery {
  readonly eventId: string;
  readonly seq: number | null;
  readonly type: string;
  readonly isDelivered: boolean;
  /** The earliest first. */
  readonly attempts: readonly LoggedAttempt[];
  /** Number of its last attempt, for the cursor of pages. */
  readonly position: number;
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
  /** The attempts of each of these events. */
  attempts(webhookId: WebhookId, eventIds: readonly string[]): Promise<readonly (readonly LoggedAttempt[])[]>;
  /** Attempts of the last days, by their events. */
  log(webhookId: WebhookId, query: LogQuery): Promise<readonly LoggedDelivery[]>;
}
