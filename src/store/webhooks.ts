import { and, asc, count, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { ProgramId, WebhookId } from "#domain/ids.ts";
import { type Database, readBatch } from "./database.ts";
import { isHere } from "./program-place.ts";
import { events } from "./schema/events.ts";
import { programs } from "./schema/programs.ts";
import { webhookDeliveries, webhookSecrets, webhooks } from "./schema/webhooks.ts";
import {
  everyColumn,
  insert,
  newValuesOf,
  param,
  readAll,
  readCount,
  readFirst,
  type Write,
  write,
} from "./statement.ts";

export type WebhookRow = typeof webhooks.$inferSelect;
export type WebhookSecretRow = typeof webhookSecrets.$inferSelect;
export type DeliveryRow = typeof webhookDeliveries.$inferSelect;

const given = sql.placeholder;

/** An inclusive range of numbers. */
export type SeqRange = readonly [from: number, to: number];

type OfProgram = { programId: ProgramId; id: WebhookId };
const isOfProgram = and(eq(webhooks.id, given("id")), eq(webhooks.programId, given("programId")));

export const webhookOfProgram = readFirst<OfProgram, WebhookRow>((db) => db.select().from(webhooks).where(isOfProgram));

export const webhookCount = readCount<{ programId: ProgramId }>((db) =>
  db
    .select({ n: count() })
    .from(webhooks)
    .where(eq(webhooks.programId, given("programId"))),
);

const newestSeq = (programId: SQL, isTest: SQL) =>
  sql`coalesce((select max(e.seq) from ${events} e where e.program_id = ${programId} and e.is_test = ${isTest}), 0)`;
const newestOfIts = newestSeq(sql.raw("webhooks.program_id"), sql.raw("webhooks.is_test"));

/** Sends what happens from now on. */
export const insertWebhook = write<
  Pick<WebhookRow, "programId" | "isTest" | "id" | "url" | "description" | "types" | "createdAt">
>((db) =>
  db.insert(webhooks).values({
    ...everyColumn(webhooks),
    ...{ status: "active", replays: "[]", failingSince: null, failures: 0 },
    cursor: newestSeq(param("programId"), param("isTest")),
  }),
);

/** One that was disabled begins anew. */
export const updateWebhook = write<Pick<WebhookRow, "id" | "url" | "description" | "types" | "status">>((db) => {
  const isBack = sql`${webhooks.status} = 'disabled' and ${param("status")} = 'active'`;
  return db
    .update(webhooks)
    .set({
      url: sql`${param("url")}`,
      description: sql`${param("description")}`,
      types: sql`${param("types")}`,
      status: sql`${param("status")}`,
      cursor: sql`iif(${isBack}, ${newestOfIts}, ${webhooks.cursor})`,
      failingSince: sql`iif(${isBack}, null, ${webhooks.failingSince})`,
      failures: sql`iif(${isBack}, 0, ${webhooks.failures})`,
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

/** Those that are live; the ones that a rotation ended before keep their end. */
export const endSecrets = write<{ id: WebhookId; at: number; expiresAt: number }>((db) =>
  db
    .update(webhookSecrets)
    .set({ expiresAt: sql`${param("expiresAt")}` })
    .where(
      and(
        eq(webhookSecrets.webhookId, given("id")),
        sql`coalesce(${webhookSecrets.expiresAt} > ${param("expiresAt")}, 1)`,
      ),
    ),
);
export const deleteEndedSecrets = write<{ id: WebhookId; at: number }>((db) =>
  db
    .delete(webhookSecrets)
    .where(and(eq(webhookSecrets.webhookId, given("id")), sql`${webhookSecrets.expiresAt} <= ${param("at")}`)),
);

export const addReplay = write<{ id: WebhookId; from: number; to: number }>((db) =>
  db
    .update(webhooks)
    .set({ replays: sql`json_insert(${webhooks.replays}, '$[#]', json_array(${param("from")}, ${param("to")}))` })
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

/** To be attempted now, whatever became of it before. */
export const dueDelivery = (row: Omit<DeliveryRow, "failedAt" | "attempts">) =>
  insertDelivery({ ...row, attempts: 0, failedAt: null });

/** What attempts came to. Each counts once, however often it is reported. */
export interface SettledDelivery extends Pick<DeliveryRow, "eventId" | "seq" | "type" | "attempts" | "dueAt"> {
  readonly isDelivered: boolean;
  readonly isFirst: boolean;
}

const settledRows = sql`json_each(${given("settled")}) j`;
const settledValue = (name: keyof SettledDelivery) => sql.raw(`(j.value ->> '${name}')`);

type Settling = { id: WebhookId; programId: ProgramId; settled: string; at: number };

const insertFailed = write<Settling>((db) =>
  db
    .insert(webhookDeliveries)
    .select(
      sql`select w.id, ${settledValue("eventId")}, w.program_id, ${settledValue("seq")}, ${settledValue("type")}, 1,
        ${settledValue("dueAt")}, iif(${settledValue("dueAt")} is null, ${param("at")}, null)
      from ${webhooks} w, ${settledRows}
      where w.id = ${given("id")} and w.program_id = ${given("programId")} and ${isHere(sql`w.program_id`)}
        and ${settledValue("isFirst")} and not ${settledValue("isDelivered")}`,
    )
    .onConflictDoNothing(),
);

const isSettled = sql`${webhookDeliveries.webhookId} = ${given("id")} and ${webhookDeliveries.eventId} = ${settledValue("eventId")}
  and ${webhookDeliveries.attempts} = ${settledValue("attempts")} - 1 and not ${settledValue("isFirst")} and ${isHere(webhookDeliveries.programId)}`;

const failAgain = write<Settling>((db) =>
  db
    .update(webhookDeliveries)
    .set({
      attempts: sql`${settledValue("attempts")}`,
      dueAt: sql`${settledValue("dueAt")}`,
      failedAt: sql`iif(${settledValue("dueAt")} is null, ${param("at")}, null)`,
    })
    .from(settledRows)
    .where(sql`${isSettled} and not ${settledValue("isDelivered")}`),
);

const deleteDelivered = write<Settling>((db) =>
  db.delete(webhookDeliveries).where(
    sql`${webhookDeliveries.webhookId} = ${given("id")} and ${isHere(webhookDeliveries.programId)} and ${webhookDeliveries.eventId} in (
        select ${settledValue("eventId")} from ${settledRows} where ${settledValue("isDelivered")})`,
  ),
);

export interface Progress {
  readonly cursor: SeqRange | undefined;
  /** What is left of the replays, and what it was. */
  readonly replays: { readonly before: string; readonly after: string } | undefined;
  readonly failingSince: number | null;
  readonly failures: number;
  readonly isDisabled: boolean;
}

const advance = write<
  Pick<Settling, "id" | "programId"> & {
    from: number;
    to: number;
    replaysBefore: string;
    replays: string;
    failingSince: number | null;
    failures: number;
    isDisabled: boolean;
  }
>((db) =>
  db
    .update(webhooks)
    .set({
      cursor: sql`iif(${webhooks.cursor} = ${param("from")}, ${param("to")}, ${webhooks.cursor})`,
      replays: sql`iif(${webhooks.replays} = ${param("replaysBefore")}, ${param("replays")}, ${webhooks.replays})`,
      failingSince: sql`${param("failingSince")}`,
      failures: sql`${param("failures")}`,
      status: sql`iif(${param("isDisabled")}, 'disabled', ${webhooks.status})`,
    })
    .where(and(isOfProgram, isHere(webhooks.programId))),
);

/** Those of a webhook that nobody attempts any more. */
const giveUpAll = write<{ id: WebhookId; at: number }>((db) =>
  db
    .update(webhookDeliveries)
    .set({ dueAt: null, failedAt: sql`${param("at")}` })
    .where(sql`${webhookDeliveries.webhookId} = ${given("id")} and ${webhookDeliveries.dueAt} is not null`),
);

const deleteOldFailed = write<{ id: WebhookId; before: number }>((db) =>
  db
    .delete(webhookDeliveries)
    .where(sql`${webhookDeliveries.webhookId} = ${given("id")} and ${webhookDeliveries.failedAt} < ${param("before")}`),
);

export function settleDeliveries(
  { id, programId }: Pick<WebhookRow, "id" | "programId">,
  settled: readonly SettledDelivery[],
  { cursor: [from, to] = [-1, -1], replays, ...failing }: Progress,
  { at, forgetBefore }: { readonly at: number; readonly forgetBefore: number },
): readonly Write[] {
  const given = { id, programId, settled: JSON.stringify(settled), at };
  const hasFirst = settled.some(({ isFirst, isDelivered }) => isFirst && !isDelivered);
  const hasAgain = settled.some(({ isFirst, isDelivered }) => !isFirst && !isDelivered);
  const hasRetried = settled.some(({ isFirst, isDelivered }) => !isFirst && isDelivered);
  const replay = { replaysBefore: replays?.before ?? "", replays: replays?.after ?? "" };
  return [
    ...(hasFirst ? [insertFailed(given)] : []),
    ...(hasAgain ? [failAgain(given)] : []),
    ...(hasRetried ? [deleteDelivered(given)] : []),
    ...(failing.isDisabled ? [giveUpAll({ id, at })] : []),
    ...(failing.isDisabled || hasRetried ? [deleteOldFailed({ id, before: forgetBefore })] : []),
    advance({ id, programId, from, to, ...replay, ...failing }),
  ];
}

/** What a sender needs of a webhook. */
export interface ActiveWebhook extends Omit<WebhookRow, "types" | "status" | "replays"> {
  readonly types: readonly string[] | undefined;
  readonly replays: readonly SeqRange[];
  readonly newestSeq: number;
  readonly openRetries: number;
  /** Of the next retry (ms). */
  readonly dueAt: number | null;
  /** The newest first. */
  readonly secrets: readonly Pick<WebhookSecretRow, "sealId" | "sealed">[];
}

const ofWebhook = sql`d.webhook_id = webhooks.id and d.due_at is not null`;

const { types: _types, status: _status, replays: _replays, ...activeColumns } = getTableColumns(webhooks);

const activeWebhooks = readAll<{ programId: ProgramId; at: number }, ActiveWebhook>((db) =>
  db
    .select({
      ...activeColumns,
      types: sql<readonly string[] | undefined>`${webhooks.types}`.mapWith((json: string) => JSON.parse(json)),
      replays: sql<readonly SeqRange[]>`${webhooks.replays}`.mapWith((json: string) => JSON.parse(json)),
      newestSeq: sql<number>`${newestOfIts}`,
      openRetries: sql<number>`(select count(*) from ${webhookDeliveries} d where ${ofWebhook})`,
      dueAt: sql<number | null>`(select min(d.due_at) from ${webhookDeliveries} d where ${ofWebhook})`,
      secrets: sql<ActiveWebhook["secrets"]>`(
        select json_group_array(json_object('sealId', s.seal_id, 'sealed', s.sealed)) from (
          select * from ${webhookSecrets} s where s.webhook_id = webhooks.id and coalesce(s.expires_at > ${param("at")}, 1)
          order by s.created_at desc) s)`.mapWith((json: string) => JSON.parse(json)),
    })
    .from(webhooks)
    .innerJoin(programs, eq(programs.id, webhooks.programId))
    .where(
      sql`${webhooks.programId} = ${given("programId")} and ${webhooks.status} = 'active' and ${programs.place} = 'here'
        and ${programs.archivedAt} is null`,
    ),
);

export const readActiveWebhooks = async (database: Database, programId: ProgramId, at: number) =>
  (await readBatch(database, { found: activeWebhooks({ programId, at }) })).found;

const dueDeliveries = readAll<{ id: WebhookId; at: number; limit: number }, DeliveryRow>((db) =>
  db
    .select()
    .from(webhookDeliveries)
    .where(sql`${webhookDeliveries.webhookId} = ${given("id")} and ${webhookDeliveries.dueAt} <= ${param("at")}`)
    .orderBy(asc(webhookDeliveries.dueAt))
    .limit(given("limit")),
);

export const readDueDeliveries = async (database: Database, due: { id: WebhookId; at: number; limit: number }) =>
  (await readBatch(database, { found: dueDeliveries(due) })).found;

const lateWebhooks = readAll<{ at: number }, { programId: ProgramId; isLate: boolean; dueAt: number | null }>((db) =>
  db
    .select({
      programId: webhooks.programId,
      isLate: sql<boolean>`max(${webhooks.replays} <> '[]' or ${webhooks.cursor} < ${newestOfIts}
        or exists (select 1 from ${webhookDeliveries} d where ${ofWebhook} and d.due_at <= ${param("at")}))`.mapWith(
        Boolean,
      ),
      dueAt: sql<number | null>`min((select min(d.due_at) from ${webhookDeliveries} d where ${ofWebhook}))`,
    })
    .from(webhooks)
    .innerJoin(programs, eq(programs.id, webhooks.programId))
    .where(sql`${webhooks.status} = 'active' and ${programs.place} = 'here' and ${programs.archivedAt} is null`)
    .groupBy(webhooks.programId),
);

/** Programs that have webhooks: whether something is to be sent, and when the next retry is due (ms). */
export const readLateWebhooks = async (database: Database, at: number) =>
  (await readBatch(database, { found: lateWebhooks({ at }) })).found;
