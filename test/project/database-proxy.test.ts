import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { openClient } from "../../scripts/database/client.ts";

let database: TestDatabase;
let proxy: DatabaseProxy;

beforeAll(async () => {
  database = await startDatabase(undefined, "sqld");
  proxy = await startDatabaseProxy(database.url);
  await openClient({ url: database.url }).execute("create table marks (id integer primary key, mark text)");
});
afterAll(async () => {
  await proxy?.close();
  await database?.dispose();
});

const mark = (name: string, timeoutMs = 2_000) =>
  openClient({
    url: proxy.url,
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }),
  }).batch([{ sql: "insert into marks (mark) values (?)", args: [name] }], "write");

const isMarked = async (name: string) => {
  const { rows } = await openClient({ url: database.url }).execute({
    sql: "select 1 from marks where mark = ?",
    args: [name],
  });
  return rows.length > 0;
};

test("the tests' database proxy counts requests by kind, without protocol checks", async () => {
  proxy.resetCounts();
  await mark("counted");
  await openClient({ url: proxy.url }).batch(["select 1", "select 2"], "read");
  expect(proxy.counts).toMatchObject({ reads: 1, writes: 1, total: 2, statements: 3 });
});

test("the tests' database proxy can disconnect after a commit, and refuse a request before its commit", async () => {
  proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
  await expect(mark("cut")).rejects.toThrow();
  expect(await isMarked("cut")).toBe(true);

  proxy.inject({ kind: "refuse" }, { only: "writes", times: 1 });
  await expect(mark("refused")).rejects.toThrow();
  expect(await isMarked("refused")).toBe(false);

  await mark("afterwards");
  expect(await isMarked("afterwards")).toBe(true);
});

test("the tests' database proxy can send a late reply after a commit, and delay or hold a request before its commit", async () => {
  const heal = proxy.inject({ kind: "late", ms: 500 });
  await expect(mark("late", 200)).rejects.toThrow();
  expect(await isMarked("late")).toBe(true);
  heal();

  const started = Date.now();
  proxy.inject({ kind: "delay", ms: 200 }, { times: 1 });
  await mark("delayed");
  expect(Date.now() - started).toBeGreaterThanOrEqual(195);

  const others = Promise.withResolvers<void>();
  proxy.inject({ kind: "hold", until: others.promise }, { times: 1 });
  const held = mark("held");
  expect(await isMarked("held")).toBe(false);
  others.resolve();
  await held;
  expect(await isMarked("held")).toBe(true);
});

test("the tests' database proxy can send a given response, never respond, or let a given number of requests through first", async () => {
  proxy.inject({ kind: "answer", status: 500, body: "no" }, { after: 1, times: 1 });
  await mark("passed");
  await expect(mark("answered")).rejects.toThrow();
  expect(await isMarked("answered")).toBe(false);

  proxy.inject({ kind: "hang" });
  await expect(mark("hung", 200)).rejects.toThrow();
  proxy.heal();
  await mark("healed");
});

test("the tests' database proxy refuses connections while disconnected, and then accepts them at the same address", async () => {
  const { url } = proxy;
  await proxy.disconnect();
  await expect(mark("unreachable")).rejects.toThrow();
  await proxy.connect();
  expect(proxy.url).toBe(url);
  await mark("reachable");
});
