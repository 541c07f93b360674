import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { WebhookId } from "#domain/ids.ts";
import { webhookDisablers, webhookStatuses } from "#domain/webhook-status.ts";
import { id, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { book, programId } from "./programs.ts";

/** URLs to which the events of a book are posted. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: id<WebhookId>(),
    ...book(),
    url: text("url").notNull(),
    description: text("description").notNull(),
    /** JSON array of event types. Null: all types. */
    types: text("types"),
    status: text("status", { enum: webhookStatuses }).notNull(),
    disabledBy: text("disabled_by", { enum: webhookDisablers }),
    disabledAt: instant("disabled_at"),
    /**
     * Sequence number of the last event that was attempted at least once, or skipped: its type isn't subscribed, or it was
     * recorded before the webhook was created or while it was disabled.
     */
    cursor: integer("cursor").notNull(),
    /**
     * JSON array of ranges [from, to] of sequence numbers to send again. A third element, 1, marks events that were
     * waiting when the webhook was disabled.
     */
    replays: text("replays").notNull().default("[]"),
    /** The first failure since the last successful delivery, and the number of failures since then. */
    failingSince: instant("failing_since"),
    failures: integer("failures").notNull().default(0),
    /** When this URL first answered 2xx. Until then it is null, and only example events are sent. */
    provedAt: instant("proved_at"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    index("webhooks_program").on(t.programId),
    check("webhooks_status", oneOf(t.status, webhookStatuses)),
    check("webhooks_disabled_by", oneOf(t.disabledBy, webhookDisablers)),
    check(
      "webhooks_disabled",
      sql`(${t.status} = 'disabled') = (${t.disabledBy} is not null) and (${t.disabledBy} is null) = (${t.disabledAt} is null)`,
    ),
    check("webhooks_failing", sql`(${t.failingSince} is null) = (${t.failures} = 0)`),
  ],
);

/** A webhook's signing secrets. Each is used until it expires. */
export const webhookSecrets = sqliteTable(
  "webhook_secrets",
  {
    sealId: text("seal_id").primaryKey(),
    programId: programId(),
    webhookId: integer("webhook_id")
      .$type<WebhookId>()
      .notNull()
      .references(() => webhooks.id),
    /** Encrypted with DATA_KEYS. */
    sealed: text("sealed").notNull(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at"),
  },
  (t) => [index("webhook_secrets_webhook").on(t.webhookId), index("webhook_secrets_program").on(t.programId)],
);

/** Deliveries to retry, example deliveries, and, for some days, deliveries that were given up. */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    webhookId: integer("webhook_id")
      .$type<WebhookId>()
      .notNull()
      .references(() => webhooks.id),
    eventId: text("event_id").notNull(),
    programId: programId(),
    /** Null for an example. */
    seq: integer("seq"),
    type: text("type").notNull(),
    attempts: integer("attempts").notNull(),
    /** When the next attempt is due. Null if the delivery was given up. */
    dueAt: instant("due_at"),
    failedAt: instant("failed_at"),
  },
  (t) => [
    primaryKey({ columns: [t.webhookId, t.eventId] }),
    index("webhook_deliveries_due").on(t.webhookId, t.dueAt).where(sql`due_at is not null`),
    index("webhook_deliveries_program").on(t.programId, t.failedAt),
    check("webhook_deliveries_ended", sql`(${t.dueAt} is null) = (${t.failedAt} is not null)`),
  ],
);
