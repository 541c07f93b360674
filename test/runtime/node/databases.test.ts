import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "#store/database.ts";
import { FileDatabase, FileReader } from "../../../runtime/node/databases.ts";
import { SqlConnection } from "../../../runtime/node/sql-connection.ts";

const folder = mkdtempSync(join(tmpdir(), "tributary-file-"));
const file = join(folder, "data");
const longMs = 20_000;
const slowQuery =
  "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000) select count(*) from n";
let database: FileDatabase;

beforeAll(async () => {
  const connection = new SqlConnection(file);
  connection.run({
    sql: "create table notes (id integer primary key, text text not null, size real) strict",
    args: [],
  });
  connection.close();
  database = new FileDatabase(file);
  await database.ready();
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const stored = async (): Promise<unknown> => {
  const [rows] = await database.ofOthers.batch(
    [{ sql: "select id, text, size from notes order by id", args: [] }],
    "read",
    longMs,
  );
  return rows;
};
const insert = (id: number, text: string | null, size = 0.5) => ({
  sql: "insert into notes values (?, ?, ?) returning id",
  args: [id, text, size],
});

describe("a database file", () => {
  test("a database file executes all statements of a batch or none, and returns the one that was refused", async () => {
    expect(await database.ofLedger.batch([insert(1, "a"), insert(2, "b")], "write", longMs)).toEqual([[[1]], [[2]]]);
    await expect(database.ofLedger.batch([insert(3, "c"), insert(1, "d")], "write", longMs)).rejects.toMatchObject({
      code: "SQLITE_CONSTRAINT_PRIMARYKEY",
      statementIndex: 1,
    });
    expect(await stored()).toEqual([
      [1, "a", 0.5],
      [2, "b", 0.5],
    ]);
  });

  test("a database file returns errors as a database server does", async () => {
    const store = openDatabase({ url: "", authToken: undefined, server: database.ofLedger });
    await expect(store.write([insert(9, "x"), insert(9, null)])).rejects.toMatchObject({
      fault: { kind: "statement", index: 1 },
    });
    const other = new SqlConnection(file);
    other.run({ sql: "begin immediate", args: [] });
    const late = openDatabase({ url: "", authToken: undefined, server: database.ofLedger }, { timeoutMs: 200 });
    await expect(late.write([insert(8, "x")])).rejects.toMatchObject({ fault: { kind: "unknown" } });
    other.run({ sql: "rollback", args: [] });
    other.close();
    expect(store.roundTrips).toBe(1);
  });

  test("a database file commits the next batch even if a statement of an earlier one stays open", async () => {
    const plan = { sql: `explain query plan ${insert(7, "x").sql}`, args: insert(7, "x").args };
    await expect(database.ofLedger.batch([plan], "write", longMs)).rejects.toMatchObject({ code: "SQLITE_BUSY" });
    expect(await database.ofLedger.batch([insert(7, "x")], "write", longMs)).toEqual([[[7]]]);
  });

  test("a database file that couldn't be reopened after a failed commit works again when it is back", () => {
    const at = join(folder, "reopened");
    const connection = new SqlConnection(at);
    connection.batch([{ sql: "create table notes (id integer, text text, size real)", args: [] }], "write");
    const plan = { sql: `explain query plan ${insert(7, "x").sql}`, args: insert(7, "x").args };
    expect(() => connection.batch([plan], "write")).toThrow();
    renameSync(at, `${at}.moved`);
    mkdirSync(at);
    for (const mode of ["read", "write"] as const) expect(() => connection.batch([], mode)).toThrow("moved, removed");
    rmdirSync(at);
    renameSync(`${at}.moved`, at);
    expect(connection.batch([insert(7, "x")], "write")).toEqual([[[7]]]);
    connection.close();
  });

  test.each(["removed", "replaced", "unreachable"])(
    "a database file confirms no batch after it was %s, and then works again",
    async (how) => {
      const store = openDatabase({ url: "", authToken: undefined, server: database.ofLedger });
      renameSync(file, `${file}.moved`);
      if (how === "replaced") writeFileSync(file, "");
      if (how === "unreachable") symlinkSync(file, file);
      await expect(store.write([insert(how.length, "x")])).rejects.toMatchObject({ fault: { kind: "unable" } });
      renameSync(`${file}.moved`, file);
      expect(await store.write([insert(how.length * 10, "x")])).toEqual([[[how.length * 10]]]);
      await store.write([{ sql: "delete from notes where id = ?", args: [how.length * 10] }]);
    },
  );

  test("a database file that is missing isn't created by a reader, which can read the file after it is back", async () => {
    const at = join(folder, "away");
    new SqlConnection(at).close();
    const reader = new FileReader(at);
    await reader.ready;
    for (const suffix of ["", "-wal", "-shm"])
      if (existsSync(at + suffix)) renameSync(at + suffix, `${at}.moved${suffix}`);
    await expect(reader.batch([{ sql: slowQuery, args: [] }], "read", 100)).rejects.toThrow("did not answer in time");
    const version = [{ sql: "pragma journal_mode", args: [] }];
    await expect(reader.batch(version, "read", longMs)).rejects.toMatchObject({ code: "SQLITE_READONLY_DBMOVED" });
    expect(existsSync(at)).toBe(false);
    writeFileSync(at, "");
    await expect(reader.batch(version, "read", longMs)).rejects.toMatchObject({ code: "SQLITE_READONLY_DBMOVED" });
    renameSync(`${at}.moved`, at);
    expect(await reader.batch(version, "read", longMs)).toEqual([[["wal"]]]);
    await reader.close();

    const early = new FileReader(join(folder, "later"));
    await early.ready;
    await expect(early.batch(version, "read", longMs)).rejects.toThrow("moved, removed");
    new SqlConnection(join(folder, "later")).close();
    expect(await early.batch(version, "read", longMs)).toEqual([[["wal"]]]);
    await early.close();
  });

  test("a database file refuses integers that a JavaScript number can't represent, both as arguments and as results", async () => {
    const read = (sql: string, args: (number | string)[] = []) =>
      database.ofOthers.batch([{ sql, args }], "read", longMs);
    await expect(read("select 9007199254740993")).rejects.toThrow("no safe integer");
    await expect(read("select ?", [2 ** 60])).rejects.toThrow("no value of SQL");
    expect(await read("select ?, typeof(?), typeof(?)", [2 ** 53 - 1, 5, 0.5])).toEqual([
      [[2 ** 53 - 1, "integer", "real"]],
    ]);
  });

  test("a database file can be read while the Ledger writes, and committed rows can be read immediately", async () => {
    const writes = Array.from({ length: 50 }, (_, i) =>
      database.ofLedger.batch([insert(100 + i, "w")], "write", longMs),
    );
    const reads = Array.from({ length: 50 }, stored);
    await Promise.all([...writes, ...reads]);
    await database.ofLedger.batch([insert(200, "last")], "write", longMs);
    expect(await stored()).toContainEqual([200, "last", 0.5]);
  });

  test("a database file with an endless query accepts the Ledger's writes, and serves other readers after the query has timed out", async () => {
    const endless =
      "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n where i < 30000000 limit 1";
    const slow = database.ofOthers.batch(
      [{ sql: `${endless.replace("from n)", "from n where i < 30000000)")}`, args: [] }],
      "read",
      150,
    );
    await database.ofLedger.batch([insert(300, "beside")], "write", longMs);
    await expect(slow).rejects.toThrow("did not answer in time");
    expect(await stored()).toContainEqual([300, "beside", 0.5]);
  });

  test("a database file answers other reads after queries that time out while they are prepared", async () => {
    const found = (i: number) => `(select count(*) from notes a join notes b using (id) where a.text = ${i})`;
    const large = `select ${Array.from({ length: 1_500 }, (_, i) => found(i)).join()}`;
    for (const ms of [5, 10, 15]) {
      await database.ofOthers.batch([{ sql: large, args: [] }], "read", ms).catch(() => undefined);
    }
    expect(await stored()).toContainEqual([300, "beside", 0.5]);
  });

  test("a database file doesn't execute a read whose caller has stopped waiting", async () => {
    const reader = new FileReader(file);
    await reader.ready;
    const late = [{ sql: slowQuery, args: [] }, insert(400, "late")].map((statement) =>
      reader.batch([statement], "read", 100),
    );
    for (const each of late) await expect(each).rejects.toThrow("did not answer in time");
    await reader.close();
    expect(await stored()).not.toContainEqual([400, "late", 0.5]);
  });

  test("a database file lets the process exit after a query that has timed out", async () => {
    const databases = new URL("../../../runtime/node/databases.ts", import.meta.url).href;
    const script = `
      import { FileReader } from ${JSON.stringify(databases)};
      const reader = new FileReader(${JSON.stringify(file)});
      await reader.ready;
      await reader.batch([{ sql: ${JSON.stringify(slowQuery)}, args: [] }], "read", 100).catch(() => {});
      await reader.close();
      process.exit();`;
    writeFileSync(join(folder, "exits.mjs"), script);
    await promisify(execFile)(process.execPath, [join(folder, "exits.mjs")]);
  });
});
