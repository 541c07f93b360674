import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { AttemptLog, maxKept, type Sql } from "#deliver/attempt-log.ts";
import { dayMs, hourMs } from "#domain/calendar.ts";

const start = Date.UTC(2026, 10, 29);

function openLog() {
  const db = new DatabaseSync(":memory:");
  const sql: Sql = {
    exec(query, ...bindings) {
      const isScript = query.trim().includes(";\n");
      if (isScript) db.exec(query);
      const rows = isScript ? [] : (db.prepare(query).all(...bindings) as Record<string, SqlStorageValue>[]);
      return { toArray: () => rows };
    },
  };
  const log = new AttemptLog(sql);
  const add = (number: number, response: string, isDelivered = false) => {
    const of = { webhookId: 1, eventId: `evt_1_${number}`, seq: number, type: "sale.recorded" };
    const status = isDelivered ? 200 : 500;
    log.add(of, start + number, {
      isDelivered,
      status,
      durationMs: 5,
      response,
      retryAfterMs: undefined,
      isFinal: false,
    });
  };
  const rows = () => Number(db.prepare("select count(*) as n from attempts").get()?.n);
  const bytes = () => {
    db.exec("vacuum");
    return Number(
      db.prepare("select page_count * page_size as n from pragma_page_count(), pragma_page_size()").get()?.n,
    );
  };
  const list = (limit = 1) => log.list(1, { before: Number.MAX_SAFE_INTEGER, limit }, start);
  return { db, sql, log, add, rows, bytes, list };
}

test("the log of webhook attempts keeps the newest 20,000 attempts, and deletes older ones that an earlier release has kept", () => {
  const { db, sql, add, rows, list } = openLog();
  db.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${maxKept.attempts + 40})
    insert into attempts (webhook_id, event_id, seq, type, at, is_delivered, status, duration_ms, response)
    select 1, 'evt_1_' || i, i, 'sale.recorded', ${start}, 1, 200, 5, 'thank you' from n`);
  for (let i = 1; i <= 10; i += 1) add(30_000 + i, "out of order");
  expect(rows()).toBe(maxKept.attempts);
  expect(new AttemptLog(sql).attemptsOf(1, "evt_1_50", start)).toEqual([]);
  expect(list()[0]).toMatchObject({ eventId: "evt_1_30010" });
});

test("the log of webhook attempts deletes attempts after seven days, also if no further attempt is made", () => {
  const { log, add, rows } = openLog();
  for (let i = 1; i <= 1_500; i += 1) add(i, "unknown customer user_17");
  const week = 7 * dayMs;
  const anHourAfter = (now: number) => now + hourMs;
  expect(log.removeOld(start)).toBe(start + 1 + week + 1);
  expect(log.removeOld(start + week)).toBe(anHourAfter(start + week));
  expect(rows()).toBe(1_500);
  const end = start + 1_500 + week;
  expect(log.attemptsOf(1, "evt_1_1499", end)).toEqual([]);
  expect(log.attemptsOf(1, "evt_1_1500", end)).toHaveLength(1);
  expect(log.removeOld(end)).toBe(anHourAfter(end));
  expect(rows()).toBe(500);
  expect(log.removeOld(end)).toBe(anHourAfter(end));
  expect(rows()).toBe(1);
  expect(log.removeOld(end + 1)).toBeUndefined();
  expect(rows()).toBe(0);
});

test("the log of webhook attempts keeps at most 20 MB, and discards the response to a successful delivery", () => {
  const { add, rows, bytes, list } = openLog();
  for (let i = 1; i <= 8_000; i += 1) add(i, "€".repeat(1_000));
  expect(rows()).toBeLessThan(7_000);
  // Each row of this size fills a page of 4,096 bytes.
  expect(bytes()).toBeLessThan(maxKept.bytes * 1.35);
  expect(bytes()).toBeGreaterThan(maxKept.bytes * 0.9);
  add(9_000, "€".repeat(1_000), true);
  expect(list()[0]?.attempts).toMatchObject([{ status: 200, response: "" }]);
  expect(list(3)[1]?.attempts[0]?.response).toHaveLength(1_000);
});
