import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "#store/database.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { FileDatabase } from "../../harness/faulty-databases.ts";
import { portsVariable } from "../../harness/proxy-messages.ts";

// Tests the faults of the database inside a one-process service, as test/project/database-proxy.test.ts does for sqld.

let server: TestDatabase;
let proxy: DatabaseProxy;
let database: FileDatabase;
beforeAll(async () => {
  server = await startDatabase(undefined, "file");
  proxy = await startDatabaseProxy(server.url);
  await openDatabaseClient(server.url).execute("create table marks (id integer primary key, mark text)");
  const file = fileURLToPath(server.url);
  vi.stubEnv(portsVariable, JSON.stringify({ [file]: proxy.inProcess?.port }));
  database = new FileDatabase(file);
  vi.unstubAllEnvs();
  await database.ready();
});
afterEach(() => proxy.heal());
afterAll(async () => {
  await database?.close();
  await proxy?.close();
  await server?.dispose();
});

const databaseWithin = (timeoutMs: number) =>
  openDatabase({ url: "", authToken: undefined, server: database.ofLedger }, { timeoutMs });

const mark = (name: string, timeoutMs = 10_000) =>
  databaseWithin(timeoutMs).write([{ sql: "insert into marks (mark) values (?)", args: [name] }]);
const read = (timeoutMs = 10_000) => databaseWithin(timeoutMs).read([{ sql: "select 1", args: [] }]);

const isMarked = async (name: string) => {
  const found = await openDatabaseClient(server.url).execute({
    sql: "select 1 from marks where mark = ?",
    args: [name],
  });
  return found.rows.length > 0;
};
const failsAs = (fault: object) => expect.objectContaining({ name: "DatabaseError", fault });
const unknown = failsAs({ kind: "unknown" });

test("the database with injected faults counts batches by kind, but neither rows nor bytes", async () => {
  proxy.resetCounts();
  await mark("counted");
  const { ofOthers } = database;
  expect(
    await ofOthers.batch(
      ["select 1", "select 2"].map((sql) => ({ sql, args: [] })),
      "read",
      10_000,
    ),
  ).toEqual([[[1]], [[2]]]);
  expect(proxy.counts).toMatchObject({ reads: 1, writes: 1, total: 2, statements: 3 });
  for (const count of ["rows", "rowsWritten", "bytes"] as const) {
    expect(() => proxy.counts[count]).toThrow("needs a server");
  }
});

test("an injected disconnection happens after the commit, and an injected refusal before the commit", async () => {
  proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
  await read();
  await expect(mark("cut")).rejects.toEqual(unknown);
  expect(await isMarked("cut")).toBe(true);

  proxy.inject({ kind: "refuse" }, { only: "writes", times: 1 });
  await expect(mark("refused")).rejects.toEqual(unknown);
  expect(await isMarked("refused")).toBe(false);

  await mark("afterwards");
  expect(await isMarked("afterwards")).toBe(true);
});

test("an injected late response follows the commit, while an injected delay or hold comes before the batch is executed", async () => {
  const heal = proxy.inject({ kind: "late", ms: 60_000 });
  await expect(mark("late", 1_000)).rejects.toEqual(unknown);
  expect(await isMarked("late")).toBe(true);
  heal();

  proxy.inject({ kind: "delay", ms: 60_000 }, { times: 1 });
  await expect(mark("delayed", 200)).rejects.toEqual(unknown);
  expect(await isMarked("delayed")).toBe(false);

  const others = Promise.withResolvers<void>();
  proxy.inject({ kind: "hold", until: others.promise }, { times: 1 });
  const held = mark("held");
  await mark("other");
  expect(await isMarked("held")).toBe(false);
  others.resolve();
  await held;
  expect(await isMarked("held")).toBe(true);
});

test("the database can return a given response, hang, and execute a given number of batches before a fault", async () => {
  proxy.inject({ kind: "answer", status: 500, body: "no" }, { after: 1, times: 1 });
  await mark("passed");
  await expect(mark("answered")).rejects.toEqual(unknown);
  expect(await isMarked("answered")).toBe(false);
  proxy.inject({ kind: "answer", status: 402, body: '{"code":"BLOCKED","message":"no"}' }, { times: 1 });
  await expect(mark("blocked")).rejects.toEqual(failsAs({ kind: "unable" }));

  proxy.inject({ kind: "hang" });
  await expect(mark("hung", 200)).rejects.toEqual(unknown);
  proxy.heal();
  await mark("healed");
  expect(await isMarked("hung")).toBe(false);
});

test("a disconnected database executes nothing, and the batches that it was executing fail", async () => {
  proxy.resetCounts();
  const held = Promise.withResolvers<void>();
  proxy.inject({ kind: "hold", until: held.promise }, { times: 1 });
  const lost = mark("under way");
  const refused = expect(lost).rejects.toEqual(unknown);
  await expect.poll(() => proxy.counts.total).toBe(1);
  await proxy.disconnect();
  await refused;
  await expect(mark("unreachable")).rejects.toEqual(unknown);
  await proxy.connect();
  await mark("reachable");
  held.resolve();
  expect(await isMarked("unreachable")).toBe(false);
});
