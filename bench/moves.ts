import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { shardLines } from "#domain/shard-list.ts";
import { type Api, createApi } from "../harness/client.ts";
import { testSecrets } from "../harness/service.ts";
import type { World } from "../harness/world.ts";
import { withClient } from "../scripts/database/client.ts";
import { node, root } from "../scripts/root.ts";
import { figureOf, shown, table } from "./figures.ts";
import { quantilesOf } from "./generator.ts";
import { load, stockOf } from "./load.ts";
import { readOptions } from "./options.ts";
import { machine, publish } from "./results.ts";
import { type Shards, startShards, worldOn } from "./shard-service.ts";
import { type TempDir, withTempDir } from "./with-temp-dir.ts";

// npm run bench:moves: how long a program's own sales wait while it moves, and those of its neighbors at both shards. The command
// runs in a process of its own, as an operator runs it. Sales come at their own time, whether or not earlier ones are answered.

const salesPerSecond = 20;
const options = readOptions({ only: [], connections: [], rounds: 7, seconds: 15 }, { rounds: 3, seconds: 5 });
/** Of a program that has 20,000 rows in the middle of all windows, since it goes on selling, and of one with a million. */
const [small, large] = [6_600, 440_000];

interface Sale {
  readonly sentAt: number;
  readonly ms: number;
  /** Answers of 503, after which it was sent again. */
  readonly refused: number;
}

interface Seller {
  readonly sales: readonly Sale[];
  stop(): Promise<void>;
}

async function sellOnce(api: Api, { key }: World, id: string): Promise<Sale> {
  const sentAt = performance.now();
  for (let refused = 0; ; refused += 1) {
    const { status, headers } = await api.sale({ transaction_id: id, amount_cents: 100, customer_key: id }, { key });
    if (status === 200 || status === 409) return { sentAt, ms: performance.now() - sentAt, refused };
    await delay(Number(headers.get("retry-after") ?? 1) * 1_000);
  }
}

function startSelling(url: string, world: World): Seller {
  const api = createApi(url);
  const sales: Sale[] = [];
  const state = { isOver: false };
  const running = (async () => {
    const pending: Promise<unknown>[] = [];
    const begunAt = performance.now();
    for (let n = 0; !state.isOver; n += 1) {
      await delay(Math.max(0, begunAt + (n * 1_000) / salesPerSecond - performance.now()));
      pending.push(sellOnce(api, world, `${begunAt}-${n}`).then((sale) => sales.push(sale)));
    }
    await Promise.all(pending);
  })();
  return {
    sales,
    stop: () => {
      state.isOver = true;
      return running;
    },
  };
}

interface Window {
  readonly from: number;
  readonly to: number;
}

const within = ({ sales }: Seller, { from, to }: Window): readonly number[] =>
  sales.filter(({ sentAt }) => sentAt >= from && sentAt < to).map(({ ms }) => ms);

interface Stage {
  readonly shards: Shards;
  readonly moving: World;
  readonly own: Seller;
  /** On shards 1 and 2. */
  readonly neighbors: readonly [Seller, Seller];
}

async function withStage<T>(temp: TempDir, clicks: number, measure: (stage: Stage) => Promise<T>): Promise<T> {
  const shards = await startShards({ ...temp, directory: join(temp.directory, String(clicks)) }, 3, { far: false });
  const [moving, first, second] = [await worldOn(shards, 1), await worldOn(shards, 1), await worldOn(shards, 2)];
  await load(moving, stockOf(clicks, 3 * 10 ** 9));
  const own = startSelling(shards.url, moving);
  const neighbors = [startSelling(shards.url, first), startSelling(shards.url, second)] as const;
  await delay(15_000);
  try {
    return await measure({ shards, moving, own, neighbors });
  } finally {
    await Promise.all([own, ...neighbors].map((seller) => seller.stop()));
    await shards.stop();
  }
}

/** Between the start of the command and its end. */
async function move({ shards, moving }: Stage, to: number): Promise<Window> {
  const env = {
    ...process.env,
    DATABASE_URL: shards.databases[0]?.url ?? "",
    SHARDS: shardLines(shards.shards),
    BASE_URL: shards.url,
    DATABASE_AUTH_TOKEN: testSecrets.DATABASE_AUTH_TOKEN,
  };
  const args = ["scripts/tributary.ts", "shards", "move", String(moving.programId), String(to)];
  const from = performance.now();
  await promisify(execFile)(node, args, { cwd: root, env });
  process.stderr.write(".");
  return { from, to: performance.now() };
}

async function pause(seconds: number): Promise<Window> {
  const from = performance.now();
  await delay(seconds * 1_000);
  return { from, to: performance.now() };
}

interface Round {
  /** Between two moves, at first without and then with a move. */
  readonly still: Window;
  readonly moved: Window;
  readonly source: Seller;
  readonly target: Seller;
}

const targetOf = (round: number): number => (round % 2 === 0 ? 2 : 1);

/** To and fro, so that each neighbor is now at the source and now at the target. */
async function alternate(stage: Stage, rounds: number): Promise<readonly Round[]> {
  const found: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const to = targetOf(round);
    const [first, second] = stage.neighbors;
    const still = await pause(options.seconds);
    const moved = await move(stage, to);
    await delay(2_000);
    found.push({ still, moved, ...(to === 2 ? { source: first, target: second } : { source: second, target: first }) });
  }
  return found;
}

type Side = "source" | "target";
const shares = [0.5, 0.95, 0.99];

/** Of the sales of all these windows together: one has too few for a p99. */
function quantile(rounds: readonly Round[], [side, kind]: readonly [Side, "still" | "moved"], share: number): number {
  const times = rounds.flatMap((round) => within(round[side], round[kind]));
  return times.length === 0 ? Number.NaN : quantilesOf(times)(share);
}

/** Of windows without a move against each other: what a ratio can be without any. */
function spreadOf(rounds: readonly Round[], side: Side): number {
  const halves = [0, 1].map((odd) => rounds.filter((_, i) => i % 2 === odd));
  const [one = 0, other = 0] = halves.map((half) => quantile(half, [side, "still"], 0.99));
  return Math.max(one, other) / Math.min(one, other);
}

const ratioOf = (rounds: readonly Round[], side: Side): number =>
  quantile(rounds, [side, "moved"], 0.99) / quantile(rounds, [side, "still"], 0.99);

const neighborRows = (rounds: readonly Round[]): string[][] =>
  (["source", "target"] as const).flatMap((side) =>
    (["still", "moved"] as const).map((kind) => [
      side,
      kind === "still" ? "no" : "yes",
      rounds.flatMap((round) => within(round[side], round[kind])).length.toLocaleString("en"),
      ...shares.map((share) => quantile(rounds, [side, kind], share).toFixed(0)),
      kind === "still"
        ? `${spreadOf(rounds, side).toFixed(2)} (half of the windows, of the others)`
        : ratioOf(rounds, side).toFixed(2),
    ]),
  );

interface Waits {
  /** Before the first move, and after the last. */
  readonly rows: readonly [number, number];
  readonly seconds: readonly number[];
  /** The longest of each move (ms). */
  readonly longest: readonly number[];
  readonly refused: number;
}

const waitsOf = (own: Seller, rows: Waits["rows"], rounds: readonly Round[]): Waits => ({
  rows,
  seconds: rounds.map(({ moved }) => (moved.to - moved.from) / 1_000),
  longest: rounds.map(({ moved }) => Math.max(...within(own, moved))),
  refused: own.sales.reduce((sum, { refused }) => sum + refused, 0),
});

const rowsShown = ({ rows }: Waits): string => rows.map((n) => n.toLocaleString("en")).join("–");

/** `shard`: where it is. */
async function rowsOf({ databases }: Shards, programId: number, shard: number): Promise<number> {
  const counted = ["clicks", "click_event_ids", "customers", "leads", "sales", "commissions", "ledger_entries"].map(
    (name) => `(select count(*) from ${name} where program_id = ?1)`,
  );
  const { rows } = await withClient({ url: databases[shard]?.url ?? "" }, (client) =>
    client.execute({ sql: `select ${counted.join(" + ")} as n`, args: [programId] }),
  );
  return Number(rows[0]?.n);
}

const measured = (clicks: number, rounds: number) => (temp: TempDir) =>
  withStage(temp, clicks, async (stage) => {
    const { shards, moving, own, neighbors } = stage;
    const before = await rowsOf(shards, moving.programId, 1);
    const found = await alternate(stage, rounds);
    // Those that still wait are answered.
    await Promise.all([own, ...neighbors].map((seller) => seller.stop()));
    const after = await rowsOf(shards, moving.programId, targetOf(rounds - 1));
    return { waits: waitsOf(own, [before, after], found), rounds: found };
  });

await withTempDir(async (temp) => {
  const little = await measured(small, options.rounds)(temp);
  const much = process.argv.includes("--quick") ? undefined : await measured(large, 1)(temp);
  const all = much === undefined ? [little] : [little, much];
  const markdown = [
    machine(),
    `A program moves between two shards while it sells, ${salesPerSecond} sales a second, beside a program on each shard that sells as many. Each move begins with the start of the command.`,
    table(
      ["rows", "moves", "seconds", "longest wait of its sales, ms", "refused (503), sent again"],
      all.map(({ waits }) => [
        rowsShown(waits),
        String(waits.seconds.length),
        shown(figureOf(waits.seconds)),
        shown(figureOf(waits.longest)),
        String(waits.refused),
      ]),
    ),
    ...all.flatMap(({ waits, rounds }) => [
      `Sales of its neighbors, without and during a move of ${rowsShown(waits)} rows, of all windows together:`,
      table(["neighbor at the", "move", "sales", "p50, ms", "p95", "p99", "p99, of without"], neighborRows(rounds)),
    ]),
  ].join("\n\n");
  const limits = [
    { what: "a sale's longest wait while 20,000 rows move, ms", is: Math.max(...little.waits.longest), atMost: 3_000 },
    { what: "a move of a million rows, s", is: much?.waits.seconds[0], atMost: 300 },
    ...all.flatMap(({ waits, rounds }) =>
      (["source", "target"] as const).map((side) => ({
        what: `p99 of a neighbor at the ${side} of ${rowsShown(waits)} rows, of without a move`,
        is: ratioOf(rounds, side),
        atMost: 1.5,
      })),
    ),
  ];
  await publish(
    { name: "moves", markdown, data: { options, waits: all.map(({ waits }) => waits) }, limits },
    options.write,
  );
});
