import { and, asc, eq, getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { ProgramId, WebhookId } from "#domain/ids.ts";
import { type Database, readOne } from "./database.ts";
import { isHere } from "./program-place.ts";
import { events } from "./schema/events.ts";
import { programs } from "./schema/programs.ts";
import { webhookDeliveries, webhookSecrets, webhooks } from "./schema/webhooks.ts";
import { given, readAll, readFirst, unencoded, type Write, write } from "./statement.ts";
import {
  type DeliveryRow,
  isOfProgram,
  newestOfIts,
  type Replay,
  type SeqRange,
  type WebhookRow,
  type WebhookSecretRow,
} from "./webhooks.ts";

// Queries of the WebhookSender.

/** Excludes programs that are on other shards, and archived programs, whose webhooks get no events. */
const isSent = sql`${programs.place} = 'here' and ${programs.archivedAt} is null`;
const isOfSent = (programId: SQLWrapper): SQL =>
  sql`exists (select 1 from ${programs} where ${programs.id} = ${programId} and ${isSent})`;

/** The result of an attempt, or an attempt in progress. Reporting it again changes nothing. */
export interface SettledDelivery extends Pick<DeliveryRow, "eventId" | "seq" | "type" | "attempts" | "dueAt"> {
  readonly isDelivered: boolean;
  /**
   * True if the delivery had no row before. The row stays until the event is delivered or, if the delivery is given up,
   * for some days.
   */
  readonly isFirst: boolean;
  /**
   * True if the attempt is in progress. No other attempt is made until `dueAt`, and `attempts` doesn't include this
   * one.
   */
  readonly isUnderWay: boolean;
}

const settledRows = sql`json_each(${given("settled")}) j`;
const settledValue = (name: keyof SettledDelivery) => sql.raw(`(j.value ->> '${name}')`);

type Settling = { id: WebhookId; programId: ProgramId; settled: string; at: number };

/**
 * If a replayed event can't be delivered, and its delivery had been given up, the delivery is retried. A delivery that
 * already waits for a retry keeps its due time.
 */
const insertOpen = write<Settling>((db) =>
  db
    .insert(webhookDeliveries)
    .select(
      sql`select w.id, ${settledValue("eventId")}, w.program_id, ${settledValue("seq")}, ${settledValue("type")},
        ${settledValue("attempts")}, ${settledValue("dueAt")}, iif(${settledValue("dueAt")} is null, ${unencoded("at")}, null)
      from ${webhooks} w, ${settledRows}
      where w.id = ${given("id")} and w.program_id = ${given("programId")} and ${isHere(sql`w.program_id`)}
        and not ${settledValue("isDelivered")} and (${settledValue("isFirst")} or ${settledValue("isUnderWay")})`,
    )
    .onConflictDoUpdate({
      target: [webhookDeliveries.webhookId, webhookDeliveries.eventId],
      set: {
        attempts: sql`excluded.attempts`,
        dueAt: sql`excluded.due_at`,
        failedAt: sql`excluded.failed_at`,
      },
      setWhere: sql`${webhookDeliveries.failedAt} is not null or ${webhookDeliveries.attempts} = excluded.attempts`,
    }),
);

const failAgain = write<Settling>((db) =>
  db
    .update(webhookDeliveries)
    .set({
      attempts: sql`${settledValue("attempts")}`,
      dueAt: sql`${settledValue("dueAt")}`,
      failedAt: sql`iif(${settledValue("dueAt")} is null, ${unencoded("at")}, null)`,
    })
    .from(settledRows)
    .where(
      sql`${webhookDeliveries.webhookId} = ${given("id")} and ${webhookDeliveries.eventId} = ${settledValue("eventId")}
        and ${webhookDeliveries.attempts} = ${settledValue("attempts")} - 1 and ${webhookDeliveries.failedAt} is null
        and ${isHere(webhookDeliveries.programId)}
        and not (${settledValue("isDelivered")} or ${settledValue("isFirst")} or ${settledValue("isUnderWay")})`,
    ),
);

/**
 * Deletes the rows of delivered events, including events that were waiting or given up and that a replay has delivered.
 */
const deleteDelivered = write<Settling>((db) =>
  db.delete(webhookDeliveries).where(
    sql`${webhookDeliveries.webhookId} = ${given("id")} and ${isHere(webhookDeliveries.programId)} and ${webhookDeliveries.eventId} in (
        select ${settledValue("eventId")} from ${settledRows} where ${settledValue("isDelivered")})`,
  ),
);

/** The state of a webhook's URL according to recent attempts. */
export type Health = {
  /** The URL to which the attempts were sent. If the webhook's URL has changed since, the attempts don't count. */
  readonly url: string;
  readonly hasDelivered: boolean;
  /** The number of failures since the last delivery, and the instant of the first one. */
  readonly failures: number;
  readonly failingSince: number | null;
  /** If the webhook must be disabled because of its failures, the instant of the first one. Otherwise null. */
  readonly disablesSince: number | null;
};

export interface Progress {
  readonly cursor: SeqRange | undefined;
  /** The replay to which the attempted events belong, and the part of it that is left. */
  readonly replay: { readonly of: Replay; readonly left: Replay | undefined } | undefined;
  /** Undefined if nothing has changed. */
  readonly health: Health | undefined;
}

const ofFirst = sql.raw("'$[0]'");
const isReplayed = sql`json_extract(${webhooks.replays}, ${ofFirst}) = ${unencoded("replayed")}`;

const advance = write<
  Pick<Settling, "id" | "programId"> & { from: number; to: number; replayed: string; left: string | null }
>((db) =>
  db
    .update(webhooks)
    .set({
      cursor: sql`iif(${webhooks.cursor} = ${unencoded("from")}, ${unencoded("to")}, ${webhooks.cursor})`,
      // Changes only the first replay, because a member may have added others meanwhile.
      replays: sql`case when not coalesce(${isReplayed}, 0) then ${webhooks.replays}
        when ${unencoded("left")} is null then json_remove(${webhooks.replays}, ${ofFirst})
        else json_replace(${webhooks.replays}, ${ofFirst}, json(${unencoded("left")})) end`,
    })
    .where(and(isOfProgram, isHere(webhooks.programId))),
);

const noteHealth = write<Pick<Settling, "id" | "programId" | "at"> & Health>((db) => {
  const since = sql`iif(${unencoded("hasDelivered")}, null, ${webhooks.failingSince})`;
  const isGivenUp = sql`${webhooks.failingSince} = ${unencoded("disablesSince")}`;
  return db
    .update(webhooks)
    .set({
      failingSince: sql`coalesce(${since}, ${unencoded("failingSince")})`,
      failures: sql`iif(${unencoded("hasDelivered")}, 0, ${webhooks.failures}) + ${unencoded("failures")}`,
      status: sql`iif(${isGivenUp}, 'disabled', ${webhooks.status})`,
      disabledBy: sql`iif(${isGivenUp}, 'failures', ${webhooks.disabledBy})`,
      disabledAt: sql`iif(${isGivenUp}, ${unencoded("at")}, ${webhooks.disabledAt})`,
      provedAt: sql`iif(${unencoded("hasDelivered")}, coalesce(${webhooks.provedAt}, ${unencoded("at")}), ${webhooks.provedAt})`,
    })
    .where(
      and(
        isOfProgram,
        isHere(webhooks.programId),
        sql`${webhooks.status} = 'active' and ${webhooks.url} = ${unencoded("url")}`,
      ),
    );
});

/** Gives up all deliveries of a webhook that was disabled because of its failures. */
const giveUpAll = write<{ id: WebhookId; at: number }>((db) =>
  db
    .update(webhookDeliveries)
    .set({ dueAt: null, failedAt: sql`${unencoded("at")}` })
    .where(
      sql`${webhookDeliveries.webhookId} = ${given("id")} and ${webhookDeliveries.dueAt} is not null
        and ${isHere(webhookDeliveries.programId)} and exists (
        select 1 from ${webhooks} w where w.id = ${given("id")} and w.disabled_by = 'failures')`,
    ),
);

const deleteOldFailed = write<{ id: WebhookId; before: number }>((db) =>
  db.delete(webhookDeliveries).where(
    sql`${webhookDeliveries.webhookId} = ${given("id")} and ${webhookDeliveries.failedAt} < ${unencoded("before")}
        and ${isHere(webhookDeliveries.programId)}`,
  ),
);

export function settleDeliveries(
  { id, programId }: Pick<WebhookRow, "id" | "programId">,
  settled: readonly SettledDelivery[],
  { cursor: [from, to] = [-1, -1], replay, health }: Progress,
  { at, forgetBefore }: { readonly at: number; readonly forgetBefore: number },
): readonly Write[] {
  const given = { id, programId, settled: JSON.stringify(settled), at };
  const isNew = ({ isFirst, isUnderWay }: SettledDelivery): boolean => isFirst || isUnderWay;
  const open = settled.filter(({ isDelivered }) => !isDelivered);
  const hasAgain = open.some((each) => !isNew(each));
  const hadRows = replay !== undefined || settled.some(({ isFirst }) => !isFirst);
  const hasEnded = hadRows && open.length < settled.length;
  const replayed = {
    replayed: JSON.stringify(replay?.of ?? null),
    left: replay?.left ? JSON.stringify(replay.left) : null,
  };
  return [
    ...(open.some(isNew) ? [insertOpen(given)] : []),
    ...(hasAgain ? [failAgain(given)] : []),
    ...(hasEnded ? [deleteDelivered(given)] : []),
    ...(from < to || replay !== undefined ? [advance({ id, programId, from, to, ...replayed })] : []),
    ...(health === undefined ? [] : [noteHealth({ id, programId, at, ...health })]),
    ...(health?.disablesSince == null ? [] : [giveUpAll({ id, at })]),
    ...(health?.disablesSince != null || hasAgain || hasEnded ? [deleteOldFailed({ id, before: forgetBefore })] : []),
  ];
}

/** The data of a webhook that the sender needs. */
export interface ActiveWebhook extends Omit<WebhookRow, "types" | "status" | "disabledBy" | "disabledAt" | "replays"> {
  readonly types: readonly string[] | undefined;
  readonly replays: readonly Replay[];
  readonly newestSeq: number;
  readonly openRetries: number;
  /** Instant of the next retry (ms). */
  readonly dueAt: number | null;
  /** The webhook's secrets, newest first. */
  readonly secrets: readonly Pick<WebhookSecretRow, "sealId" | "sealed">[];
}

const ofWebhook = sql`d.webhook_id = webhooks.id and d.due_at is not null`;
/** A URL that has never answered 2xx gets only example events. */
const isSendable = sql`(${webhooks.provedAt} is not null or d.seq is null)`;

const {
  types: _types,
  status: _status,
  replays: _replays,
  disabledBy: _by,
  disabledAt: _at,
  ...activeColumns
} = getTableColumns(webhooks);

const activeWebhooks = readAll<{ programId: ProgramId; at: number }, ActiveWebhook>((db) =>
  db
    .select({
      ...activeColumns,
      types: sql<readonly string[] | undefined>`${webhooks.types}`.mapWith((json: string) => JSON.parse(json)),
      replays: sql<readonly Replay[]>`${webhooks.replays}`.mapWith((json: string) => JSON.parse(json)),
      newestSeq: sql<number>`${newestOfIts}`,
      openRetries: sql<number>`(select count(*) from ${webhookDeliveries} d where ${ofWebhook})`,
      dueAt: sql<
        number | null
      >`(select min(d.due_at) from ${webhookDeliveries} d where ${ofWebhook} and ${isSendable})`,
      secrets: sql<ActiveWebhook["secrets"]>`(
        select json_group_array(json_object('sealId', s.seal_id, 'sealed', s.sealed)) from (
          select * from ${webhookSecrets} s where s.webhook_id = webhooks.id and coalesce(s.expires_at > ${unencoded("at")}, 1)
          order by s.created_at desc) s)`.mapWith((json: string) => JSON.parse(json)),
    })
    .from(webhooks)
    .innerJoin(programs, eq(programs.id, webhooks.programId))
    .where(sql`${webhooks.programId} = ${given("programId")} and ${webhooks.status} = 'active' and ${isSent}`),
);

export const readActiveWebhooks = async (database: Database, programId: ProgramId, at: number) =>
  await readOne(database, activeWebhooks({ programId, at }));

interface Due extends Record<string, unknown> {
  readonly id: WebhookId;
  readonly at: number;
  readonly limit: number;
  readonly isProved: boolean;
}

const dueDeliveries = readAll<Due, DeliveryRow>((db) =>
  db
    .select()
    .from(webhookDeliveries)
    .where(
      sql`${webhookDeliveries.webhookId} = ${given("id")} and ${webhookDeliveries.dueAt} <= ${unencoded("at")}
        and (${unencoded("isProved")} or ${webhookDeliveries.seq} is null)`,
    )
    .orderBy(asc(webhookDeliveries.dueAt))
    .limit(given("limit")),
);

export const readDueDeliveries = async (database: Database, due: Due) => await readOne(database, dueDeliveries(due));

const lateWebhooks = readAll<{ at: number }, { programId: ProgramId; isLate: boolean; dueAt: number | null }>((db) =>
  db
    .select({
      programId: webhooks.programId,
      isLate: sql<boolean>`max(
        iif(${webhooks.provedAt} is null, not exists (select 1 from ${webhookDeliveries} d where ${ofWebhook} and d.seq is null),
          ${webhooks.replays} <> '[]' or ${webhooks.cursor} < ${newestOfIts})
        or exists (select 1 from ${webhookDeliveries} d where ${ofWebhook} and ${isSendable} and d.due_at <= ${unencoded("at")}))`.mapWith(
        Boolean,
      ),
      dueAt: sql<number | null>`min((
        select min(d.due_at) from ${webhookDeliveries} d where ${ofWebhook} and ${isSendable}))`,
    })
    .from(webhooks)
    .innerJoin(programs, eq(programs.id, webhooks.programId))
    .where(sql`${webhooks.status} = 'active' and ${isSent}`)
    .groupBy(webhooks.programId),
);

/** Returns, for programs with webhooks, whether there are events to send, and when the next retry is due (ms). */
export const readLateWebhooks = async (database: Database, at: number) => await readOne(database, lateWebhooks({ at }));

const figures = readFirst<
  Record<string, never>,
  { waiting: number; failed: number; failing: number; lateAt: number | null }
>((db) =>
  db
    .select({
      waiting: sql<number>`(select count(*) from ${webhookDeliveries} d where d.due_at is not null and ${isOfSent(sql`d.program_id`)})`,
      failed: sql<number>`(select count(*) from ${webhookDeliveries} d where d.failed_at is not null and ${isHere(sql`d.program_id`)})`,
      failing: sql<number>`(select count(*) from ${webhooks} w where w.failing_since is not null and w.status = 'active' and ${isOfSent(sql`w.program_id`)})`,
      lateAt: sql<
        number | null
      >`(select min((select e.at from ${events} e where e.program_id = w.program_id and e.is_test = w.is_test
          and e.seq > w.cursor order by e.seq limit 1)) from ${webhooks} w
          where w.status = 'active' and w.proved_at is not null and ${isOfSent(sql`w.program_id`)})`,
    })
    .from(sql`(select 1)`),
);

export interface WebhookFigures {
  /** Number of events that wait for a retry. */
  readonly waiting: number;
  readonly failed: number;
  /** Number of webhooks whose last attempt failed. */
  readonly failing: number;
  /** Instant (ms) of the oldest event that hasn't been attempted. Undefined if there is none. */
  readonly oldestAt: number | undefined;
}

/** Makes one database request. */
export async function readWebhookFigures(database: Database): Promise<WebhookFigures> {
  const found = await readOne(database, figures({}));
  const { waiting = 0, failed = 0, failing = 0, lateAt = null } = found ?? {};
  return { waiting, failed, failing, oldestAt: lateAt ?? undefined };
}
