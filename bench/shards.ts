import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ShardAddress } from "#domain/shard-list.ts";
import { createApi } from "../harness/client.ts";
import { startDatabaseProxy } from "../harness/database-proxy.ts";
import { startService, testSecrets } from "../harness/service.ts";
import { createWorld, type World } from "../harness/world.ts";
import { withClient } from "../scripts/database/client.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { addShard } from "../scripts/database/shards.ts";
import type { Sqld } from "../scripts/database/sqld.ts";
import { senderTo } from "../scripts/service/operator-api.ts";
import { beginMove, moveProgram } from "../scripts/shards/mover.ts";
import { placesOf } from "../scripts/shards/operator.ts";
import { callsOf } from "./calls.ts";
import { startDatabase } from "./database.ts";
import { type Figure, figureOf, shown, table } from "./figures.ts";
import { drive, quantilesOf } from "./generator.ts";
import { load, stockOf } from "./load.ts";
import { readOptions } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers } from "./service.ts";
import { type TempDir, withTempDir } from "./with-temp-dir.ts";

// npm run bench:shards: what a second shard carries if the databases are far away, and how long a program waits while it moves.
// One workerd is one thread, so that shards on one machine gain where distance is the limit, and nowhere else.

const far = 50;
/** Few enough to leave the processor half idle. */
const callersEach = 32;
const options = readOptions({ only: [], connections: [], rounds: 5, seconds: 3 }, { rounds: 2, seconds: 2 });
/** Of a program with 20,000 rows, and of one with a million. */
const movedClicks = process.argv.includes("--quick") ? [8_600] : [8_600, 440_000];

interface Shards {
  readonly url: string;
  readonly databases: readonly Sqld[];
  readonly setDelay: (ms: number) => () => void;
  readonly stop: () => Promise<void>;
}

async function startShards(temp: TempDir, count: number): Promise<Shards> {
  const { ours } = await buildWorkers(join(temp.directory, `workers-${count}`));
  const databases: Sqld[] = [];
  for (let n = 0; n < count; n += 1) {
    const database = await temp.stopAtEnd(startDatabase(join(temp.directory, `${count}-${n}`)));
    await migrate({ url: database.url });
    databases.push(database);
  }
  const proxies = await Promise.all(databases.map(({ url }) => startDatabaseProxy(url)));
  const [home, ...others] = databases;
  const [first, ...further] = proxies;
  if (home === undefined || first === undefined) throw new Error("a service has at least one shard");
  const shards: ShardAddress[] = [];
  for (const [i, database] of others.entries()) {
    const installation = await addShard(home, database, { shard: i + 1, location: null });
    shards.push({ shard: i + 1, databaseUrl: further[i]?.url ?? "", location: undefined, installation });
  }
  const vars = { RATE_LIMITS: "off" };
  const service = await startService({ build: ours, databaseUrl: first.url, shards, vars, keepsLogs: false });
  const setDelay = (ms: number) => {
    const lifts = proxies.map((proxy) => proxy.inject({ kind: "delay", ms }));
    return () => {
      for (const lift of lifts) lift();
    };
  };
  const stop = async () => {
    await service.stop();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  };
  return { url: service.url, databases, setDelay, stop };
}

const worldOn = ({ databases }: Shards, shard: number): Promise<World> =>
  createWorld(
    { shard, homeUrl: databases[0]?.url ?? "", url: databases[shard]?.url ?? "" },
    { partners: [{}, {}, {}] },
  );

/** Clicks a second of all shards, with as many callers on each. */
async function window(shards: Shards, worlds: readonly World[], amount: number): Promise<number> {
  const startedAt = performance.now();
  const noStock = { clicks: 0, customers: 0, sales: 0, days: 1, base: 0 };
  const driven = await Promise.all(
    worlds.map((world) => drive(shards.url, callsOf({ world, stock: noStock }).click, callersEach, amount)),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  return driven.reduce((sum, { calls }) => sum + calls, 0) / seconds;
}

async function measureShards(
  temp: TempDir,
): Promise<{ readonly rows: string[][]; readonly ratio: Figure | undefined }> {
  const counts = [1, 2];
  const started = await Promise.all(counts.map((count) => startShards(temp, count)));
  const worlds = await Promise.all(
    started.map((shards) => Promise.all(shards.databases.map((_, shard) => worldOn(shards, shard)))),
  );
  const measured = counts.map((): number[] => []);
  for (const shards of started) shards.setDelay(far);
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const [i, shards] of started.entries()) {
      const perSecond = await window(shards, worlds[i] ?? [], options.seconds * 900);
      // The first warms up.
      if (round > 0) measured[i]?.push(perSecond);
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");
  for (const { stop } of started) await stop();
  const [one = [], two = []] = measured;
  const ratio = figureOf(two.map((perSecond, round) => perSecond / (one[round] ?? Number.NaN)));
  const rows = counts.map((count, i) => [
    String(count),
    `${count * callersEach}`,
    shown(figureOf(measured[i] ?? [])),
    i === 0 ? "1" : shown(ratio),
  ]);
  return { rows, ratio };
}

interface Moved {
  readonly rows: number;
  readonly seconds: number;
  readonly waitedMs: number;
  readonly refused: number;
  /** Of its neighbor's sales, before and during the move. */
  readonly p99: readonly [before: number, during: number];
}

interface Wait {
  readonly startedAt: number;
  readonly ms: number;
}

const p99Of = (waits: readonly Wait[]): number =>
  waits.length === 0 ? Number.NaN : quantilesOf(waits.map(({ ms }) => ms))(0.99);

/** Sells every 50 ms to the program that moves, and to one that stays at its source. */
async function measureMove(temp: TempDir, clicks: number): Promise<Moved> {
  const shards = await startShards({ ...temp, directory: join(temp.directory, `move-${clicks}`) }, 2);
  const [moving, staying] = await Promise.all([worldOn(shards, 1), worldOn(shards, 1)]);
  await load(moving, stockOf(clicks, 3 * 10 ** 9));
  const places = placesOf(senderTo(shards.url, testSecrets.DATABASE_AUTH_TOKEN), (shard) => ({
    url: shards.databases[shard]?.url ?? "",
  }));
  const api = createApi(shards.url);
  const state = { isOver: false };
  const sell = async ({ key }: World, waits: Wait[], refusals: number[]) => {
    for (let n = 0; !state.isOver; n += 1) {
      const startedAt = performance.now();
      const body = { transaction_id: `${n}-${startedAt}`, amount_cents: 100, customer_key: `u${n}` };
      for (;;) {
        const { status } = await api.sale(body, { key });
        if (status === 200 || status === 409 || state.isOver) break;
        refusals.push(status);
        await delay(100);
      }
      waits.push({ startedAt, ms: performance.now() - startedAt });
      await delay(50);
    }
  };
  const [waits, refusals, neighbor]: [Wait[], number[], Wait[]] = [[], [], []];
  const selling = Promise.all([sell(moving, waits, refusals), sell(staying, neighbor, [])]);
  await delay(15_000);
  const startedAt = performance.now();
  await moveProgram(places, await beginMove(places, moving.programId, 0));
  const endedAt = performance.now();
  await delay(2_000);
  state.isOver = true;
  await selling;
  const rows = await rowsOf(shards, moving.programId);
  await shards.stop();
  return {
    rows,
    seconds: (endedAt - startedAt) / 1_000,
    waitedMs: Math.max(...waits.map(({ ms }) => ms)),
    refused: refusals.length,
    p99: [
      p99Of(neighbor.filter((wait) => wait.startedAt < startedAt)),
      p99Of(neighbor.filter((wait) => wait.startedAt >= startedAt && wait.startedAt < endedAt)),
    ],
  };
}

async function rowsOf({ databases }: Shards, programId: number): Promise<number> {
  const counted = ["clicks", "click_event_ids", "customers", "leads", "sales", "commissions", "ledger_entries"].map(
    (name) => `(select count(*) from ${name} where program_id = ?1)`,
  );
  const { rows } = await withClient({ url: databases[0]?.url ?? "" }, (client) =>
    client.execute({ sql: `select ${counted.join(" + ")} as n`, args: [programId] }),
  );
  return Number(rows[0]?.n);
}

await withTempDir(async (temp) => {
  const { rows, ratio } = await measureShards(temp);
  const moves: Moved[] = [];
  for (const clicks of movedClicks) moves.push(await measureMove(temp, clicks));
  const markdown = [
    machine(),
    `Clicks, with the databases ${far} ms away and ${callersEach} callers for each shard.`,
    table(["shards", "callers", "clicks/s", "of one"], rows),
    "A program that moves to another shard while it sells, beside another one on the same shard.",
    table(
      [
        "rows",
        "seconds",
        "longest wait of a sale, ms",
        "refused (503), sent again",
        "p99 of its neighbor's sales, ms: before",
        "during",
      ],
      moves.map((moved) => [
        moved.rows.toLocaleString("en"),
        moved.seconds.toFixed(1),
        moved.waitedMs.toFixed(0),
        String(moved.refused),
        ...moved.p99.map((ms) => ms.toFixed(0)),
      ]),
    ),
  ].join("\n\n");
  const limits = [
    { what: `clicks: two shards ${far} ms away, of one`, is: ratio?.median, atLeast: 1.7 },
    { what: "a sale's wait while 20,000 rows move, ms", is: moves[0]?.waitedMs, atMost: 3_000 },
    { what: "a move of a million rows, s", is: moves[1]?.seconds, atMost: 300 },
    ...moves.map(({ p99: [before, during], rows }) => ({
      what: `p99 of a neighbor of a move of ${rows.toLocaleString("en")} rows, of before`,
      is: during / before,
      atMost: 1.5,
    })),
  ];
  await publish({ name: "shards", markdown, data: { options, rows, moves }, limits }, options.write);
});
