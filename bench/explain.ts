import { type Api, createApi } from "../harness/client.ts";
import { startDatabase } from "../harness/database.ts";
import { testClickKeys } from "../harness/service.ts";
import { createWorld, type World } from "../harness/world.ts";
import { type Build, build } from "../scripts/build/build.ts";
import { mintClickId } from "../src/domain/click-id.ts";
import { type Database, IdleStreams, openDatabase } from "../src/store/database.ts";
import { figureOf, type Limit, shown, table } from "./figures.ts";
import { load, stockOf } from "./load.ts";
import { machine, publish } from "./results.ts";
import { startTarget } from "./service.ts";
import { type TempDir, withTempDir } from "./with-temp-dir.ts";

// npm run bench:explain: what an explanation costs, of a customer with 100 events, against one indexed read of the same
// database. Two databases, one of them with a million stored clicks, take turns.

const sizes = [0, 1_000_000];
const sales = 48;
const rounds = 5;
const asked = 60;
const warmUp = 30;
const chain = "a customer with 100 events";
const indexedRead = "one indexed read";
const maxOfRead = 3;
const minSpeed = 0.9;

interface Stored {
  readonly clicks: number;
  readonly world: World;
  readonly api: Api;
  readonly database: Database;
  /** Keeps its connection, as the service does. */
  readonly connected: Database;
}

async function called(reply: Promise<{ readonly status: number; readonly text: string }>): Promise<void> {
  const { status, text } = await reply;
  if (status !== 200) throw new Error(`${status} ${text}`);
}

/** Three clicks, a lead, 48 sales and as many refunds. */
async function tellChain({ world: { programId, key, partner }, api }: Stored): Promise<void> {
  const now = Date.now();
  const click_ids = [3, 2, 1].map((hours) =>
    mintClickId(
      testClickKeys,
      { programId, isTest: false, linkId: partner.linkId, at: now - hours * 3_600_000 },
      hours.toString(16).padStart(16, "0"),
    ),
  );
  await called(api.lead({ customer_key: "c", click_ids }, { key }));
  for (let i = 0; i < sales; i += 1) {
    await called(api.sale({ transaction_id: `t${i}`, amount_cents: 4_900, customer_key: "c" }, { key }));
    await called(api.refund({ transaction_id: `t${i}`, refund_id: "r", refund_amount_cents: 100 }, { key }));
  }
}

const explainBy = async ({ world: { key }, api }: Stored, query: string): Promise<void> => {
  const response = await fetch(`${api.url}/api/v1/programs/me/explain?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await called(response.text().then((text) => ({ status: response.status, text })));
};

const readOne = async (database: Database, { world: { programId } }: Stored): Promise<void> => {
  const sql = "select * from sales where program_id = ? and is_test = 0 and transaction_id = ?";
  const [rows] = await database.read([{ sql, args: [programId, "t0"] }]);
  if (rows?.length !== 1) throw new Error("the sale is not there");
};

const kinds = {
  [chain]: (stored: Stored) => explainBy(stored, "customer_key=c"),
  "one of their sales": (stored: Stored) => explainBy(stored, "transaction_id=t0"),
  [indexedRead]: (stored: Stored) => readOne(stored.database, stored),
  "one on a kept connection": (stored: Stored) => readOne(stored.connected, stored),
} as const;
type Kind = keyof typeof kinds;

async function p50(stored: Stored, kind: Kind): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < asked; i += 1) {
    const startedAt = performance.now();
    await kinds[kind](stored);
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b)[Math.floor(asked / 2)] ?? Number.NaN;
}

async function open(temp: TempDir, worker: Build, clicks: number): Promise<Stored> {
  const sqld = await startDatabase();
  await temp.stopAtEnd(Promise.resolve({ stop: () => sqld.dispose() }));
  const world = await createWorld(sqld.url);
  if (clicks > 0) await load(world, stockOf(clicks, 10 ** 9));
  const service = await temp.stopAtEnd(startTarget(worker, sqld.url));
  const config = { url: sqld.url, authToken: undefined };
  const [database, connected] = [openDatabase(config), openDatabase(config, { idleStreams: new IdleStreams() })];
  const stored = { clicks, world, api: createApi(service.url), database, connected };
  await tellChain(stored);
  for (let i = 0; i < warmUp; i += 1) await explainBy(stored, "customer_key=c");
  return stored;
}

async function measureAll(all: readonly Stored[]): Promise<ReadonlyMap<Kind, ReadonlyMap<Stored, number[]>>> {
  const found = new Map<Kind, ReadonlyMap<Stored, number[]>>();
  for (const kind of Object.keys(kinds) as Kind[]) found.set(kind, new Map(all.map((stored) => [stored, []])));
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, times] of found) {
      for (const stored of all) times.get(stored)?.push(await p50(stored, kind));
    }
  }
  return found;
}

const limitsOf = (clicks: number, ofRead: number | undefined, ofEmpty: number | undefined): readonly Limit[] => [
  {
    what: `${chain}, ${clicks.toLocaleString("en")} clicks stored: of one indexed read`,
    is: ofRead,
    atMost: maxOfRead,
  },
  ...(clicks === 0
    ? []
    : [
        {
          what: `${chain}, ${clicks.toLocaleString("en")} clicks stored: speed, of the empty database's`,
          is: ofEmpty === undefined ? undefined : 1 / ofEmpty,
          atLeast: minSpeed,
        },
      ]),
];

await withTempDir(async (temp) => {
  const worker = await build({ directory: temp.directory });
  const all: Stored[] = [];
  for (const clicks of sizes) all.push(await open(temp, worker, clicks));

  const found = await measureAll(all);
  const [empty] = all;
  const ratios = (over: readonly number[], under: readonly number[] = []) =>
    figureOf(over.map((ms, round) => ms / (under[round] ?? Number.NaN)));
  const rows: string[][] = [];
  const limits: Limit[] = [];
  for (const [kind, times] of found) {
    for (const [stored, ms] of times) {
      const ofRead = ratios(ms, found.get(indexedRead)?.get(stored));
      const ofEmpty = empty && ratios(ms, times.get(empty));
      if (kind === chain) limits.push(...limitsOf(stored.clicks, ofRead?.median, ofEmpty?.median));
      const figures = [shown(figureOf(ms)), shown(ofRead), shown(ofEmpty)];
      rows.push([kind, stored.clicks.toLocaleString("en"), ...figures]);
    }
  }
  const head = ["explained", "clicks stored", "p50 ms", "of one indexed read", "of the empty one"];
  const data = Object.fromEntries([...found].map(([kind, times]) => [kind, [...times.values()]]));
  const markdown = `${machine()}\n\n${table(head, rows)}`;
  await publish({ name: "explain", markdown, data, limits }, process.argv.includes("--write"));
});
