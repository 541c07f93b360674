import { dayMs, hourMs } from "#domain/calendar.ts";
import type { WebhookId } from "#domain/ids.ts";
import type { Attempt } from "./attempt.ts";
import type { LoggedAttempt, LoggedDelivery, LogQuery } from "./rpc.ts";

const keptMs = 7 * dayMs;
/** Limits for a program. Above them, the oldest attempts are deleted. */
export const maxKept = { attempts: 20_000, bytes: 20_000_000 } as const;

interface Logged {
  readonly webhookId: WebhookId;
  readonly eventId: string;
  readonly seq: number | null;
  readonly type: string;
}

/** The part of a Durable Object's SQL API that is used here. */
export interface Sql {
  exec(
    query: string,
    ...bindings: (string | number | null)[]
  ): { toArray(): Readonly<Record<string, SqlStorageValue>>[] };
}

const maxAttempts = 20;
/** The number of attempts that are deleted for each added one, so that a log above its limit shrinks. */
const deletedAtOnce = 10;
const removedAtOnce = 1_000;

/**
 * Size of a row and its entries in both indexes: 150 bytes without texts. The event id is counted twice, because one
 * index contains it too.
 */
const bytesOfRow = "150 + length(cast(response as blob)) + 2 * length(event_id) + length(type)";

interface Deleted {
  /** Attempts before this time (ms). */
  readonly before: number;
  /** Attempts up to this number. */
  readonly lastNumber?: number;
  /** True to delete attempts whatever their age and number, because the log has reached its size limit. */
  readonly isFull?: boolean;
}

/**
 * The log of the delivery attempts of the last seven days, up to the limits. Nothing depends on the log, so it may be
 * lost.
 */
export class AttemptLog {
  readonly #sql: Sql;
  #bytes: number;

  constructor(sql: Sql) {
    this.#sql = sql;
    sql.exec(`
      create table if not exists attempts (
        number integer primary key, webhook_id integer not null, event_id text not null, seq integer, type text not null,
        at integer not null, is_delivered integer not null, status integer, duration_ms integer not null, response text not null
      ) strict;
      create index if not exists attempts_event on attempts (webhook_id, event_id, number);
      create index if not exists attempts_webhook on attempts (webhook_id, number)`);
    this.#bytes = sum(sql.exec(`select ${bytesOfRow} as bytes from attempts`).toArray());
  }

  add({ webhookId, eventId, seq, type }: Logged, at: number, attempt: Attempt): void {
    const { isDelivered, status, durationMs } = attempt;
    const response = isDelivered ? "" : attempt.response;
    const added = this.#sql.exec(
      `insert into attempts (webhook_id, event_id, seq, type, at, is_delivered, status, duration_ms, response)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?) returning number, ${bytesOfRow} as bytes`,
      webhookId,
      eventId,
      seq,
      type,
      at,
      Number(isDelivered),
      status ?? null,
      durationMs,
      response,
    );
    const rows = added.toArray();
    this.#bytes += sum(rows);
    this.#deleteOldest(deletedAtOnce, {
      before: at - keptMs,
      lastNumber: Number(rows[0]?.number) - maxKept.attempts,
      isFull: this.#bytes > maxKept.bytes,
    });
  }

  /** Of the `most` oldest attempts, deletes each one to which a condition applies. */
  #deleteOldest(most: number, { before, lastNumber = 0, isFull = false }: Deleted): void {
    const deleted = this.#sql.exec(
      `delete from attempts where number in (select number from attempts order by number limit ?)
      and (at < ? or number <= ? or ?) returning ${bytesOfRow} as bytes`,
      most,
      before,
      lastNumber,
      Number(isFull),
    );
    this.#bytes -= sum(deleted.toArray());
  }

  /**
   * Deletes attempts that are older than seven days, a limited number at a time. Returns when to continue (ms), at most
   * once an hour. Undefined if the log is empty.
   */
  removeOld(now: number): number | undefined {
    this.#deleteOldest(removedAtOnce, { before: now - keptMs });
    const [oldest] = this.#sql.exec("select at from attempts order by number limit 1").toArray();
    return oldest === undefined ? undefined : Math.max(Number(oldest.at) + keptMs + 1, now + hourMs);
  }

  /**
   * Lists events by their last attempt, newest first. `before` is the position of the last one on the previous page.
   */
  list(webhookId: WebhookId, { before, limit, isDelivered }: LogQuery, now: number): readonly LoggedDelivery[] {
    const wanted = isDelivered === undefined ? null : Number(isDelivered);
    const last = this.#sql
      .exec(
        `select number, event_id, seq, type, is_delivered from attempts a
        where webhook_id = ?1 and number < ?2 and at >= ?5 and (?3 is null or is_delivered = ?3) and number = (
          select max(number) from attempts o where o.webhook_id = a.webhook_id and o.event_id = a.event_id)
        order by number desc limit ?4`,
        webhookId,
        before,
        wanted,
        limit,
        now - keptMs,
      )
      .toArray();
    return last.map(({ number, event_id, seq, type, is_delivered }) => ({
      eventId: String(event_id),
      seq: seq === null ? null : Number(seq),
      type: String(type),
      isDelivered: Number(is_delivered) === 1,
      attempts: this.attemptsOf(webhookId, String(event_id), now),
      position: Number(number),
    }));
  }

  attemptsOf(webhookId: WebhookId, eventId: string, now: number): readonly LoggedAttempt[] {
    const found = this.#sql.exec(
      `select at, status, duration_ms, response from attempts where webhook_id = ? and event_id = ? and at >= ?
      order by number desc limit ${maxAttempts}`,
      webhookId,
      eventId,
      now - keptMs,
    );
    return found
      .toArray()
      .reverse()
      .map(({ at, status, duration_ms, response }) => ({
        at: Number(at),
        status: status === null ? null : Number(status),
        durationMs: Number(duration_ms),
        response: String(response),
      }));
  }
}

const sum = (rows: readonly Readonly<Record<string, SqlStorageValue>>[]): number =>
  rows.reduce((bytes, row) => bytes + Number(row.bytes), 0);
