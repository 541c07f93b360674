import { and, asc, eq, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import type { EventType } from "#domain/event-type.ts";
import type { ProgramId, WebhookId } from "#domain/ids.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { events } from "../schema/events.ts";
import { webhookDeliveries, webhookSecrets, webhooks } from "../schema/webhooks.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, unencoded } from "../statement.ts";
import { type DeliveryRow, newestOfIts, type WebhookSecretRow } from "../webhooks.ts";

const countOf = (condition: string) =>
  sql<number>`(select count(*) from ${webhookDeliveries} d where d.webhook_id = webhooks.id and ${sql.raw(condition)})`;

const selectWebhooks = (db: Compiler) =>
  db
    .select({
      id: webhooks.id,
      url: webhooks.url,
      description: webhooks.description,
      types: sql<string[] | null>`${webhooks.types}`.mapWith((json: string) => JSON.parse(json) as string[]),
      testMode: webhooks.isTest,
      status: webhooks.status,
      disabledBy: webhooks.disabledBy,
      disabledAt: webhooks.disabledAt,
      lastSeq: webhooks.cursor,
      newestSeq: sql<number>`${newestOfIts}`,
      waiting: countOf("d.due_at is not null"),
      failed: countOf("d.failed_at is not null"),
      failingSince: webhooks.failingSince,
      provedAt: webhooks.provedAt,
      createdAt: webhooks.createdAt,
    })
    .from(webhooks);
export type WebhookView = RowOf<typeof selectWebhooks>;

const ofProgram = readAll<{ programId: ProgramId }, WebhookView>((db) =>
  selectWebhooks(db)
    .where(eq(webhooks.programId, given("programId")))
    .orderBy(asc(webhooks.id)),
);

export const listWebhooks = async (database: Database, programId: ProgramId) =>
  await readOne(database, ofProgram({ programId }));

const one = readFirst<{ programId: ProgramId; id: WebhookId }, WebhookView>((db) =>
  selectWebhooks(db).where(and(eq(webhooks.programId, given("programId")), eq(webhooks.id, given("id")))),
);

const newestSecret = readFirst<{ programId: ProgramId; id: WebhookId }, Pick<WebhookSecretRow, "sealId" | "sealed">>(
  (db) =>
    db
      .select({ sealId: webhookSecrets.sealId, sealed: webhookSecrets.sealed })
      .from(webhookSecrets)
      .where(
        sql`${webhookSecrets.webhookId} = ${given("id")} and ${webhookSecrets.programId} = ${given("programId")}
          and ${webhookSecrets.expiresAt} is null`,
      ),
);

/** Reads the webhook and its newest secret. */
export const findWebhook = (database: Database, programId: ProgramId, id: WebhookId) =>
  readBatch(database, { webhook: one({ programId, id }), secret: newestSecret({ programId, id }) });

const typeOf = readFirst<{ programId: ProgramId; isTest: boolean; seq: number }, { type: EventType }>((db) =>
  db
    .select({ type: events.type })
    .from(events)
    .where(
      sql`${events.programId} = ${given("programId")} and ${events.isTest} = ${unencoded("isTest")} and ${events.seq} = ${given("seq")}`,
    ),
);

export const typeOfEvent = async (database: Database, book: Book, seq: number) =>
  (await readOne(database, typeOf({ programId: book.programId, isTest: book.isTest, seq })))?.type;

const failedOf = readAll<{ id: WebhookId; eventIds: string }, Pick<DeliveryRow, "eventId">>((db) =>
  db
    .select({ eventId: webhookDeliveries.eventId })
    .from(webhookDeliveries)
    .where(
      sql`${webhookDeliveries.webhookId} = ${given("id")} and ${webhookDeliveries.failedAt} is not null
        and ${webhookDeliveries.eventId} in (select value from json_each(${given("eventIds")}))`,
    ),
);

/** Filters events to those whose delivery was given up. */
export async function givenUpOf(database: Database, id: WebhookId, eventIds: readonly string[]) {
  const found = await readOne(database, failedOf({ id, eventIds: JSON.stringify(eventIds) }));
  return new Set(found.map(({ eventId }) => eventId));
}

type OpenQuery = { id: WebhookId; isFailed: boolean; after: string; limit: number };

const openDeliveries = readAll<OpenQuery, DeliveryRow>((db) =>
  db
    .select()
    .from(webhookDeliveries)
    .where(
      sql`${webhookDeliveries.webhookId} = ${given("id")} and (${webhookDeliveries.dueAt} is null) = ${unencoded("isFailed")}
        and ${webhookDeliveries.eventId} > ${given("after")}`,
    )
    .orderBy(asc(webhookDeliveries.eventId))
    .limit(given("limit")),
);

/** Lists deliveries that wait for a retry or were given up. */
export const listOpenDeliveries = async (database: Database, query: OpenQuery) =>
  await readOne(database, openDeliveries(query));
