import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RefusedStatement, Superseded, Unreachable, Writer } from "../../src/ledger/fence.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";
import type { Statement, Write } from "../../src/store/statement.ts";
import { startDatabase, type TestDatabase } from "../support/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../support/database-proxy.ts";

const clock = {
  now: () => Date.now(),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
};

let server: TestDatabase;
let proxy: DatabaseProxy;
let direct: Database;

beforeAll(async () => {
  server = await startDatabase();
  proxy = await startDatabaseProxy(server.url);
  direct = openDatabase({ url: server.url, authToken: undefined });
});
afterEach(() => proxy.heal());
afterAll(async () => {
  await proxy.close();
  await server.dispose();
});

const run = (sql: string, ...args: (string | number)[]): Statement => ({ sql, args });
const insert = (id: string): Write => ({
  kind: "write",
  sql: "insert into workspaces (id, name, created_at) values (?, 'W', 1) returning id",
  args: [id],
});
const rows = async (sql: string) => (await direct.read([run(sql)]))[0] ?? [];
const count = async (id: string) =>
  Number((await direct.read([run("select count(*) from workspaces where id = ?", id)]))[0]?.[0]?.[0]);
const seq = async () => Number((await rows("select seq from ledger_writers"))[0]?.[0]);

const writerOn = (url = proxy.url, timeoutMs = 500) =>
  new Writer(openDatabase({ url, authToken: undefined }, timeoutMs), clock);

async function claimed(url?: string): Promise<Writer> {
  const writer = writerOn(url);
  await writer.claim();
  return writer;
}

let name: string;
beforeEach(() => {
  name = crypto.randomUUID();
});

describe("the fence in the database", () => {
  const fence = (epoch: number, next: number) =>
    run("update ledger_writers set epoch = ?, seq = ? where name = 'main'", epoch, next);
  const place = async () => {
    const [row] = await rows("select epoch, seq from ledger_writers where name = 'main'");
    return { epoch: Number(row?.[0]), seq: Number(row?.[1]) };
  };

  it("lets the next batch of the writer pass, and the same batch no second time", async () => {
    await claimed();
    const { epoch } = await place();
    const batch = [fence(epoch, 1), insert(name)];
    await direct.write(batch);
    await expect(direct.write(batch)).rejects.toMatchObject({ fault: { kind: "statement", index: 0 } });
    expect(await count(name)).toBe(1);
  });

  it.each([
    ["a gap in the sequence", { epoch: 0, seq: 2 }],
    ["the sequence repeated", { epoch: 0, seq: 0 }],
    ["an older epoch", { epoch: -1, seq: 9 }],
  ])("stops %s", async (_what, step) => {
    await claimed();
    const { epoch, seq } = await place();
    const late = [fence(epoch + step.epoch, seq + step.seq), insert(name)];
    await expect(direct.write(late)).rejects.toMatchObject({ fault: { kind: "statement", index: 0 } });
    expect(await count(name)).toBe(0);
  });

  it("cannot be taken away", async () => {
    await claimed();
    await expect(direct.write([run("delete from ledger_writers")])).rejects.toMatchObject({
      fault: { kind: "statement" },
    });
  });
});

describe("the writer", () => {
  it("counts ids on from the last that the database has", async () => {
    const writer = await claimed();
    const first = writer.newId("sales");
    expect(writer.newId("sales")).toBe(first + 1);
    expect(writer.newId("refunds")).toBe(1);
  });

  it("writes once and knows it, where the answer was lost after the commit", async () => {
    const writer = await claimed();
    const before = await seq();
    proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
    expect(await writer.write([insert(name)])).toBeUndefined();
    expect(await count(name)).toBe(1);
    expect(await seq()).toBe(before + 1);
    expect(await writer.write([insert(`${name}-2`)])).toHaveLength(1);
  });

  it("writes once where the answer never comes and the request has to time out", async () => {
    const writer = await claimed();
    proxy.inject({ kind: "late", ms: 1_000 }, { only: "writes", times: 1 });
    expect(await writer.write([insert(name)])).toBeUndefined();
    expect(await count(name)).toBe(1);
  });

  it.each([
    ["refuses the connection", { kind: "refuse" }],
    ["answers 500", { kind: "answer", status: 500 }],
    ["answers what is no JSON", { kind: "answer", status: 200, body: "<html>" }],
  ] as const)("sends again where the database %s in passing", async (_what, fault) => {
    const writer = await claimed();
    proxy.inject(fault, { only: "writes", times: 2 });
    expect(await writer.write([insert(name)])).toEqual([[expect.objectContaining({ 0: name })]]);
    expect(await count(name)).toBe(1);
  });

  it("says that the database is out of reach, has to claim again, and then goes on", async () => {
    const writer = await claimed();
    const lift = proxy.inject({ kind: "refuse" });
    await expect(writer.write([insert(name)])).rejects.toBeInstanceOf(Unreachable);
    expect(writer.isClaimed).toBe(false);
    lift();
    await writer.claim();
    await writer.write([insert(name)]);
    expect(await count(name)).toBe(1);
  });

  it("names the statement that is refused, and nothing of its batch is done", async () => {
    const writer = await claimed();
    await writer.write([insert(name)]);
    const refused = writer.write([insert(`${name}-2`), insert(name)]);
    await expect(refused).rejects.toBeInstanceOf(RefusedStatement);
    await expect(refused).rejects.toMatchObject({ index: 1 });
    expect(await count(`${name}-2`)).toBe(0);
    await writer.write([insert(`${name}-2`)]);
    expect(await count(`${name}-2`)).toBe(1);
  });

  it("knows from its claim whether anybody else has written since", async () => {
    const writer = await claimed();
    const first = await writer.claim();
    expect(await writer.claim()).toBe(first + 1);
    await direct.write([run("update ledger_writers set epoch = epoch + 1, seq = 0")]);
    expect(await writer.claim()).toBe(first + 3);
  });
});

it("a batch that is sent again has no second effect, although its writer has claimed the place anew meanwhile", async () => {
  let onPause = async () => {};
  const database = openDatabase({ url: proxy.url, authToken: undefined }, 500);
  const writer = new Writer(database, { ...clock, sleep: () => onPause() });
  await writer.claim();
  await writer.write([insert(name)]);
  onPause = async () => void (await writer.claim());
  proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
  const rename = { ...run("update workspaces set name = name || '!' where id = ?", name), kind: "write" } as const;
  await expect(writer.write([rename])).rejects.toBeInstanceOf(Superseded);
  expect(await rows(`select name from workspaces where id = '${name}'`)).toMatchObject([{ name: "W!" }]);
});

describe("two writers at once", () => {
  it("the earlier is superseded at its next write, whatever the later has done", async () => {
    const earlier = await claimed();
    const later = await claimed();
    await expect(earlier.write([insert(name)])).rejects.toBeInstanceOf(Superseded);
    await later.write([insert(name)]);
    expect(await count(name)).toBe(1);
  });

  it("a batch of the earlier that is still under way loses against the later's claim", async () => {
    const earlier = await claimed();
    proxy.inject({ kind: "delay", ms: 300 }, { only: "writes", times: 1 });
    const underWay = earlier.write([insert(name)]);
    await claimed(server.url);
    await expect(underWay).rejects.toBeInstanceOf(Superseded);
    expect(await count(name)).toBe(0);
  });

  it("one whose answer was lost is not taken for the other's", async () => {
    const earlier = await claimed();
    proxy.inject({ kind: "refuse" }, { only: "writes", times: 1 });
    const underWay = earlier.write([insert(name)]);
    const later = await claimed(server.url);
    await later.write([insert(`${name}-2`)]);
    await expect(underWay).rejects.toBeInstanceOf(Superseded);
    expect(await count(name)).toBe(0);
  });
});
