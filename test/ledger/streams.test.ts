import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { type DatabaseOptions, IdleStreams, openDatabase } from "#store/database.ts";
import { startDatabaseProxy } from "../../harness/database-proxy.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";

const own = isolatedDatabase({ engine: "sqld" });

const batonOf = (body: string) => (JSON.parse(body) as { baton: string | null }).baton;

/** Opens a database behind a proxy that records the requests' batons (the ids of server streams). */
async function openKept(options: DatabaseOptions = { idleStreams: new IdleStreams() }) {
  const batons: (string | null)[] = [];
  const bodies: string[] = [];
  const proxy = await startDatabaseProxy(own.server.url, (_, body) => {
    bodies.push(body.toString());
    batons.push(batonOf(body.toString()));
  });
  onTestFinished(() => proxy.close());
  return { database: openDatabase({ url: proxy.url, authToken: undefined }, options), proxy, batons, bodies };
}

const select = (value: string | number | boolean | null) => ({ sql: "select ?", args: [value] });
const table = `t${Math.random().toString(36).slice(2)}`;
const insert = { sql: `insert into ${table} values ('x')`, args: [] };
const count = { sql: `select count(*) from ${table}`, args: [] };

it("a batch of statements reuses the database stream of the previous batch", async () => {
  const { database, batons } = await openKept();
  await database.write([{ sql: `create table ${table} (a text not null)`, args: [] }]);
  expect(await database.read([count])).toEqual([[[0]]]);
  expect(batons).toEqual([null, expect.any(String)]);
});

it("database clients that share idle streams reuse each other's streams", async () => {
  const idleStreams = new IdleStreams();
  const { database, proxy, batons } = await openKept({ idleStreams });
  await database.read([select(1)]);
  await openDatabase({ url: proxy.url, authToken: undefined }, { idleStreams }).read([select(1)]);
  expect(batons).toEqual([null, expect.any(String)]);
});

it("each of several concurrent batches has its own database stream", async () => {
  const { database, batons } = await openKept();
  const read = () => database.read([select(1)]);
  await Promise.all([read(), read(), read()]);
  await Promise.all([read(), read(), read()]);
  expect(batons.slice(0, 3)).toEqual([null, null, null]);
  expect(new Set(batons.slice(3).map(String)).size).toBe(3);
});

it("only a few of many concurrent batches keep their database stream, and the others close it", {
  tags: "soak",
}, async () => {
  const { database, batons, bodies } = await openKept();
  const readAll = () => Promise.all(Array.from({ length: 60 }, (_, i) => database.read([select(i)])));
  for (const round of [1, 2]) {
    expect((await readAll()).flat(2), `round ${round}`).toEqual(Array.from({ length: 60 }, (_, i) => [i]));
    expect(bodies.splice(0).filter((body) => !body.includes('{"type":"close"}'))).toHaveLength(4);
  }
  expect(batons.slice(60).filter((baton) => baton !== null)).toHaveLength(4);
});

it("a database client without a store of idle streams keeps no stream open", async () => {
  const { database, bodies, batons } = await openKept({});
  await database.read([select(1)]);
  await database.read([select(1)]);
  expect(batons).toEqual([null, null]);
  expect(bodies[0]).toContain('{"type":"close"}');
});

it("a database stream that the server has lost is replaced, and the batch runs once", async () => {
  const { database, batons } = await openKept();
  await database.write([insert]);
  await own.server.kill();
  await own.server.start();
  await database.write([insert]);
  expect(await database.read([count])).toEqual([[[2]]]);
  expect(batons.slice(0, 3)).toEqual([null, expect.any(String), null]);
});

it("after a lost reply, the database stream isn't reused and the batch isn't sent again", async () => {
  const { database, proxy, batons } = await openKept();
  await database.write([insert]);
  proxy.inject({ kind: "cut" }, { times: 1 });
  await expect(database.write([insert])).rejects.toMatchObject({ fault: { kind: "unknown" } });
  expect(await database.read([count])).toEqual([[[4]]]);
  expect(batons).toEqual([null, expect.any(String), null]);
});

it("a failed batch is rolled back, and its database stream stays usable", async () => {
  const { database, batons } = await openKept();
  await expect(database.write([insert, { sql: `insert into ${table} values (null)`, args: [] }])).rejects.toMatchObject(
    {
      fault: { kind: "statement", index: 1 },
    },
  );
  expect(await database.read([count])).toEqual([[[4]]]);
  expect(batons).toEqual([null, expect.any(String)]);
});

/** Starts a server that responds with `answers` in this order, and records the requests' batons. */
async function serving(...answers: readonly ((baton: string | null) => [status: number, body: object])[]) {
  const left = [...answers];
  const asked: (string | null)[] = [];
  const encodings: unknown[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const baton = batonOf(Buffer.concat(await incoming.toArray()).toString());
    asked.push(baton);
    encodings.push(incoming.headers["accept-encoding"]);
    const [status, body] = left.shift()?.(baton) ?? [500, {}];
    outgoing.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, encodings };
}

const none = { cols: [], rows: [], affected_row_count: 0 };
const done = (baton: string | null, baseUrl: string | null = null) => {
  const result = { step_results: [none, none, none, null], step_errors: [null, null, null, null] };
  return { baton, base_url: baseUrl, results: [{ type: "ok", response: { type: "batch", result } }] };
};

it("a database stream that has expired is replaced immediately", async () => {
  const { url, asked } = await serving(
    () => [200, done("first")],
    () => [400, { message: "The stream has expired due to inactivity", code: "STREAM_EXPIRED" }],
    () => [200, done("second")],
  );
  const database = openDatabase({ url, authToken: undefined }, { idleStreams: new IdleStreams() });
  await database.write([insert]);
  await database.write([insert]);
  expect(asked).toEqual([null, "first", null]);
});

it("a database stream continues at the address in the server's response", async () => {
  const other = await serving(() => [200, done(null)]);
  const first = await serving(
    () => [200, done("moved", other.url)],
    () => [200, done(null)],
  );
  const database = openDatabase({ url: first.url, authToken: undefined }, { idleStreams: new IdleStreams() });
  for (let i = 0; i < 3; i += 1) await database.write([insert]);
  expect(other.asked).toEqual(["moved"]);
  expect(first.asked).toEqual([null, null]);
});

it("the database client requests responses without compression", async () => {
  const { url, encodings } = await serving(() => [200, done(null)]);
  await openDatabase({ url, authToken: undefined }).write([insert]);
  expect(encodings).toEqual(["identity"]);
});

it("a database response without a commit result counts as a failure with an unknown outcome", async () => {
  const undone = { step_results: [none, none, null, none], step_errors: [null, null, null, null] };
  const answer = {
    baton: null,
    base_url: null,
    results: [{ type: "ok", response: { type: "batch", result: undone } }],
  };
  const { url } = await serving(() => [200, answer]);
  const database = openDatabase({ url, authToken: undefined });
  await expect(database.write([insert])).rejects.toMatchObject({ fault: { kind: "unknown" } });
});

it.each([null, 0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0.1, 1e-300, "", 'ä\n"\\\u0000\u2028😀'])(
  "a database value round-trips unchanged: %j",
  async (value) => {
    const { database } = await openKept({});
    expect(await database.read([select(value)])).toEqual([[[value]]]);
  },
);

it("a database value that can't be represented exactly is an error", async () => {
  const { database } = await openKept({});
  await expect(database.read([{ sql: "select 9007199254740993", args: [] }])).rejects.toThrow();
  for (const value of [Number.NaN, 2 ** 53]) await expect(database.read([select(value)])).rejects.toThrow();
  expect(await database.read([select(true)])).toEqual([[[1]]]);
});
