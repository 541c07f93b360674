import { and, asc, count, eq, gt, type SQL, sql } from "drizzle-orm";
import type { ProgramId, WebhookId } from "#domain/ids.ts";
import { maxFormerSecrets } from "#domain/webhooks.ts";
import { type Database, readOne } from "./database.ts";
import { writeWithRetry } from "./retrying-write.ts";
import { events } from "./schema/events.ts";
import { webhookDeliveries, webhookSecrets, webhooks } from "./schema/webhooks.ts";
import {
  everyColumn,
  given,
  insert,
  newValuesOf,
  readAll,
  readCount,
  readFirst,
  unencoded,
  type Write,
  write,
} from "./statement.ts";

export type WebhookRow = typeof webhooks.$inferSelect;
export type WebhookSecretRow = typeof webhookSecrets.$inferSelect;
export type DeliveryRow = typeof webhookDeliveries.$inferSelect;

/** A range of sequence numbers. Both ends are inclusive. */
export type SeqRange = readonly [from: number, to: number];

/** `waited` is 1 if the events were waiting when the webhook was disabled. Otherwise a member requested the replay. */
export type Replay = readonly [...SeqRange, waited?: 1];

type OfProgram = { programId: ProgramId; id: WebhookId };
export const isOfProgram = and(eq(webhooks.id, given("id")), eq(webhooks.programId, given("programId")));

export const webhookOfProgram = readFirst<OfProgram, WebhookRow>((db) => db.select().from(webhooks).where(isOfProgram));

export const webhookCount = readCount<{ programId: ProgramId }>((db) =>
  db
    .select({ n: count() })
    .from(webhooks)
    .where(eq(webhooks.programId, given("programId"))),
);

const newestSeq = (programId: SQL, isTest: SQL) =>
  sql`coalesce((select max(e.seq) from ${events} e where e.program_id = ${programId} and e.is_test = ${isTest}), 0)`;
/** The newest sequence number in the book of the webhook in this row. */
export const newestOfIts = newestSeq(sql.raw("webhooks.program_id"), sql.raw("webhooks.is_test"));

/** The webhook gets events that are recorded from now on. */
export const insertWebhook = write<
  Pick<WebhookRow, "programId" | "isTest" | "id" | "url" | "description" | "types" | "createdAt">
>((db) =>
  db.insert(webhooks).values({
    ...everyColumn(webhooks),
    status: "active",
    disabledBy: null,
    disabledAt: null,
    replays: "[]",
    failingSince: null,
    failures: 0,
    provedAt: null,
    cursor: newestSeq(unencoded("programId"), unencoded("isTest")),
  }),
);

/**
 * If a disabled webhook is enabled, or its URL changes, its failures are reset. A new URL must first answer an example
 * event.
 */
export const updateWebhook = write<
  Pick<WebhookRow, "id" | "url" | "description" | "types" | "status"> & { at: number }
>((db) => {
  const isBack = sql`${webhooks.status} = 'disabled' and ${unencoded("status")} = 'active'`;
  const isDisabled = sql`${unencoded("status")} = 'disabled'`;
  const isUntried = sql`(${isBack} or ${webhooks.url} <> ${unencoded("url")})`;
  return db
    .update(webhooks)
    .set({
      url: sql`${unencoded("url")}`,
      description: sql`${unencoded("description")}`,
      types: sql`${unencoded("types")}`,
      status: sql`${unencoded("status")}`,
      disabledBy: sql`iif(${isDisabled}, coalesce(${webhooks.disabledBy}, 'member'), null)`,
      disabledAt: sql`iif(${isDisabled}, coalesce(${webhooks.disabledAt}, ${unencoded("at")}), null)`,
      cursor: sql`iif(${isBack}, ${newestOfIts}, ${webhooks.cursor})`,
      failingSince: sql`iif(${isUntried}, null, ${webhooks.failingSince})`,
      failures: sql`iif(${isUntried}, 0, ${webhooks.failures})`,
      provedAt: sql`iif(${webhooks.url} <> ${unencoded("url")}, null, ${webhooks.provedAt})`,
    })
    .where(eq(webhooks.id, given("id")));
});

const deleteRow = write<{ id: WebhookId }>((db) => db.delete(webhooks).where(eq(webhooks.id, given("id"))));
const deleteSecrets = write<{ id: WebhookId }>((db) =>
  db.delete(webhookSecrets).where(eq(webhookSecrets.webhookId, given("id"))),
);
const deleteDeliveries = write<{ id: WebhookId }>((db) =>
  db.delete(webhookDeliveries).where(eq(webhookDeliveries.webhookId, given("id"))),
);
export const deleteWebhook = (id: WebhookId): readonly Write[] => [
  deleteSecrets({ id }),
  deleteDeliveries({ id }),
  deleteRow({ id }),
];

export const insertSecret = insert<WebhookSecretRow>((db) =>
  db.insert(webhookSecrets).values(everyColumn(webhookSecrets)),
);

const lastFormer = sql.raw(String(maxFormerSecrets));

/** Keeps the current secret and the newest former ones, at most `maxFormerSecrets` in all. Deletes the others. */
export const deleteOldSecrets = write<{ id: WebhookId }>((db) =>
  db.delete(webhookSecrets).where(
    and(
      eq(webhookSecrets.webhookId, given("id")),
      sql`${webhookSecrets.sealId} not in (
        select s.seal_id from ${webhookSecrets} s where s.webhook_id = ${given("id")}
        order by s.expires_at is null desc, s.created_at desc, s.rowid desc limit ${lastFormer})`,
    ),
  ),
);

/** Sets the expiry of secrets that have none or a later one. Secrets that expire earlier keep their expiry. */
export const endSecrets = write<{ id: WebhookId; expiresAt: number }>((db) =>
  db
    .update(webhookSecrets)
    .set({ expiresAt: sql`${unencoded("expiresAt")}` })
    .where(
      and(
        eq(webhookSecrets.webhookId, given("id")),
        sql`coalesce(${webhookSecrets.expiresAt} > ${unencoded("expiresAt")}, 1)`,
      ),
    ),
);
export const deleteEndedSecrets = write<{ id: WebhookId; at: number }>((db) =>
  db
    .delete(webhookSecrets)
    .where(and(eq(webhookSecrets.webhookId, given("id")), sql`${webhookSecrets.expiresAt} <= ${unencoded("at")}`)),
);

const replaysOf = readAll<{ programId: ProgramId }, { replays: readonly Replay[] }>((db) =>
  db
    .select({ replays: sql<readonly Replay[]>`${webhooks.replays}`.mapWith((json: string) => JSON.parse(json)) })
    .from(webhooks)
    .where(
      sql`${webhooks.programId} = ${given("programId")} and ${webhooks.status} = 'active'
        and ${webhooks.provedAt} is not null and ${webhooks.replays} <> '[]'`,
    ),
);
/** Replays in progress of the program's active webhooks. */
export const replaysUnderWay = (programId: ProgramId) => replaysOf({ programId });

export const addReplay = write<{ id: WebhookId; from: number; to: number }>((db) =>
  db
    .update(webhooks)
    .set({
      replays: sql`json_insert(${webhooks.replays}, '$[#]', json_array(${unencoded("from")}, ${unencoded("to")}))`,
    })
    .where(eq(webhooks.id, given("id"))),
);

const insertDelivery = insert<DeliveryRow>((db) =>
  db
    .insert(webhookDeliveries)
    .values(everyColumn(webhookDeliveries))
    .onConflictDoUpdate({
      target: [webhookDeliveries.webhookId, webhookDeliveries.eventId],
      set: newValuesOf({
        dueAt: webhookDeliveries.dueAt,
        failedAt: webhookDeliveries.failedAt,
        attempts: webhookDeliveries.attempts,
      }),
    }),
);

/** Deletes examples that wait for a retry, because a new example replaces them. */
export const deleteExamples = write<{ id: WebhookId }>((db) =>
  db
    .delete(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.webhookId, given("id")),
        sql`${webhookDeliveries.seq} is null and ${webhookDeliveries.dueAt} is not null`,
      ),
    ),
);

/** Makes a delivery due now, whatever its previous state. */
export const dueDelivery = (row: Omit<DeliveryRow, "failedAt" | "attempts">) =>
  insertDelivery({ ...row, attempts: 0, failedAt: null });

const sealedSecrets = readAll<
  { after: string; limit: number },
  Pick<WebhookSecretRow, "sealId" | "programId" | "sealed">
>((db) =>
  db
    .select({ sealId: webhookSecrets.sealId, programId: webhookSecrets.programId, sealed: webhookSecrets.sealed })
    .from(webhookSecrets)
    .where(gt(webhookSecrets.sealId, given("after")))
    .orderBy(asc(webhookSecrets.sealId))
    .limit(given("limit")),
);

export const listSealedSecrets = async (database: Database, after: string, limit: number) =>
  await readOne(database, sealedSecrets({ after, limit }));

const replaceSealed = write<{ sealId: string; before: string; after: string }>((db) =>
  db
    .update(webhookSecrets)
    .set({ sealed: unencoded("after") })
    .where(and(eq(webhookSecrets.sealId, given("sealId")), eq(webhookSecrets.sealed, given("before")))),
);

/** Replaces encrypted secrets. Skips secrets that have changed since they were read. */
export async function replaceSealedSecrets(
  database: Database,
  changes: readonly { readonly sealId: string; readonly before: string; readonly after: string }[],
): Promise<void> {
  if (changes.length > 0) await writeWithRetry(database, changes.map(replaceSealed));
}
