import type { ProgramId, Shard, WebhookId } from "#domain/ids.ts";

export interface DelivererRpc {
  /** Schedules the sending of the shard's due mails. It takes place even if the object restarts. */
  wake(shard: Shard): Promise<void>;
}

export interface LoggedAttempt {
  readonly at: number;
  /** HTTP status. Null if there was no response. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly response: string;
}

export interface LoggedDelivery {
  readonly eventId: string;
  readonly seq: number | null;
  readonly type: string;
  readonly isDelivered: boolean;
  /** Earliest attempt first. */
  readonly attempts: readonly LoggedAttempt[];
  /** Number of the event's last attempt, for the cursor of pages. */
  readonly position: number;
}

export interface LogQuery {
  /** Position of the last event on the previous page. */
  readonly before: number;
  readonly limit: number;
  readonly isDelivered?: boolean | undefined;
}

export interface WebhookSenderRpc {
  /** Schedules the sending of the program's waiting webhook events. It takes place even if the object restarts. */
  wake(shard: Shard, programId: ProgramId): Promise<void>;
  /** Returns the last attempts of each of these events. */
  attempts(webhookId: WebhookId, eventIds: readonly string[]): Promise<readonly (readonly LoggedAttempt[])[]>;
  /** Returns a page of the events that were attempted in the last days, with their attempts. */
  log(webhookId: WebhookId, query: LogQuery): Promise<readonly LoggedDelivery[]>;
}
