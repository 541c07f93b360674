import { and, asc, eq, getTableColumns, sql } from "drizzle-orm";
import type { ProgramId, WebhookId } from "#domain/ids.ts";
import { type Database, readBatch } from "./database.ts";
import { isHere } from "./program-place.ts";
import { events } from "./schema/events.ts";
import { programs } from "./schema/programs.ts";
import { webhookDeliveries, webhookSecrets, webhooks } from "./schema/webhooks.ts";
import { param, readAll, readFirst, type Write, write } from "./statement.ts";
import {
  type DeliveryRow,
  isOfProgram,
  newestOfIts,
  type SeqRange,
  type WebhookRow,
  type WebhookSecretRow,
} from "./webhooks.ts";

// What the sender reads, and what it reports.

const given = sql.placeholder;

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
    ...(failing.isDisabled || hasAgain || hasRetried ? [deleteOldFailed({ id, before: forgetBefore })] : []),
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

const figures = readFirst<
  Record<string, never>,
  { waiting: number; failed: number; failing: number; lateAt: number | null }
>((db) =>
  db
    .select({
      waiting: sql<number>`(select count(*) from ${webhookDeliveries} d where d.due_at is not null and ${isHere(sql`d.program_id`)})`,
      failed: sql<number>`(select count(*) from ${webhookDeliveries} d where d.failed_at is not null and ${isHere(sql`d.program_id`)})`,
      failing: sql<number>`(select count(*) from ${webhooks} w where w.failing_since is not null and w.status = 'active' and ${isHere(sql`w.program_id`)})`,
      lateAt: sql<
        number | null
      >`(select min((select e.at from ${events} e where e.program_id = w.program_id and e.is_test = w.is_test
          and e.seq > w.cursor order by e.seq limit 1)) from ${webhooks} w where w.status = 'active' and ${isHere(sql`w.program_id`)})`,
    })
    .from(sql`(select 1)`),
);

export interface WebhookFigures {
  /** Events that are attempted again. */
  readonly waiting: number;
  readonly failed: number;
  /** Webhooks whose last attempt failed. */
  readonly failing: number;
  /** Instant of the oldest event that wasn't attempted yet (ms). */
  readonly oldestAt: number | undefined;
}

/** One request. */
export async function readWebhookFigures(database: Database): Promise<WebhookFigures> {
  const { found } = await readBatch(database, { found: figures({}) });
  const { waiting = 0, failed = 0, failing = 0, lateAt = null } = found ?? {};
  return { waiting, failed, failing, oldestAt: lateAt ?? undefined };
}
