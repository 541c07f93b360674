import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { bareCalls, type Calls, callsOf, type Kind } from "./calls.ts";
import { createWorkload, prepare, startCopy } from "./database.ts";
import { figureOf, type Limit, shown, table } from "./figures.ts";
import { drive, flood } from "./generator.ts";
import { arrive, type OpenLoop } from "./open-loop.ts";
import { readOptions } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { type TempDir, withTempDir } from "./with-temp-dir.ts";

// npm run bench:arrivals: latency of calls that arrive at a rate, at half of the capacity measured in the same run, and
// of sales while clicks arrive at twice the capacity. The bare route gets the same calls.

const recorded = ["click", "lead", "sale"] as const satisfies readonly Kind[];
const options = readOptions({ only: recorded, connections: [32], rounds: 5, seconds: 5 }, { rounds: 2, seconds: 3 });
const kinds = recorded.filter((kind) => options.only.includes(kind));
const [connections = 32] = options.connections;
const warmUpSeconds = 2;
const salesPerSecondAtMost = 2_500;
const besideFlood = { floodConnections: 200, salesPerSecond: 50 };

const sides = ["ours", "bare"] as const;
type Side = (typeof sides)[number];
type BySide<T> = Readonly<Record<Side, T>>;

interface Stage {
  readonly url: string;
  calls(kind: Kind): Calls;
}

interface Case {
  readonly name: string;
  readonly perSecond: number;
  readonly found: BySide<OpenLoop[]>;
  run(stage: Stage): Promise<OpenLoop>;
}

async function startStages(temp: TempDir): Promise<BySide<Stage>> {
  const workers = await buildWorkers(temp.directory);
  const base = join(temp.directory, "base");
  const sales = salesPerSecondAtMost * (options.seconds + warmUpSeconds) * (options.rounds + 2);
  const workload = await prepare(base, (database) => createWorkload(database, sales, 0));
  const database = await temp.stopAtEnd(startCopy(base, join(temp.directory, "database")));
  const [ours, bare] = [callsOf(workload), callsOf(workload, true)];
  const start = (side: Side) => temp.stopAtEnd(startTarget(workers[side], database.url));
  return {
    ours: { url: (await start("ours")).url, calls: (kind) => ours[kind] },
    bare: { url: (await start("bare")).url, calls: (kind) => bareCalls(bare[kind]) },
  };
}

/** Calls a second; warms up the bare route as well. */
async function capacityOf(kind: Kind, { ours, bare }: BySide<Stage>): Promise<number> {
  const warm = await drive(ours.url, ours.calls(kind), connections, 500 * warmUpSeconds);
  const amount = Math.ceil(warm.perSecond * options.seconds);
  const { perSecond } = await drive(ours.url, ours.calls(kind), connections, amount);
  await drive(bare.url, bare.calls(kind), connections, 2_000 * warmUpSeconds);
  return perSecond;
}

const halfOf = (kind: Kind, capacity: number): Case => ({
  name: kind,
  perSecond: capacity / 2,
  found: { ours: [], bare: [] },
  run: ({ url, calls }) => arrive(url, calls(kind), capacity / 2, options.seconds),
});

function floodOf(capacity: number): Case {
  const { floodConnections, salesPerSecond } = besideFlood;
  return {
    name: "sale, next to a flood of clicks",
    perSecond: salesPerSecond,
    found: { ours: [], bare: [] },
    async run({ url, calls }) {
      const seconds = options.seconds + 2 * warmUpSeconds;
      const clicks = flood(url, calls("click"), { connections: floodConnections, perSecond: 2 * capacity, seconds });
      await delay(warmUpSeconds * 1_000);
      const sales = await arrive(url, calls("sale"), salesPerSecond, options.seconds);
      await clicks;
      return sales;
    },
  };
}

const rowOf = ({ name, perSecond, found }: Case): string[] => [
  name,
  perSecond.toFixed(0),
  ...sides.flatMap((side) =>
    (["p50", "p99", "slowest"] as const).map((what) => shown(figureOf(found[side].map((each) => each[what])))),
  ),
  shown(figureOf(found.ours.map(({ refused }) => refused))),
];

function limitsOf(half: readonly Case[], flooded: Case): Limit[] {
  const { ours, bare } = flooded.found;
  return [
    ...half.map(({ name, found }) => ({
      what: `${name}: p99 at half of capacity, of its p50`,
      is: figureOf(found.ours.map(({ p99, p50 }) => p99 / p50))?.median,
      atMost: 5,
    })),
    {
      what: "sale: p99 next to a flood, of the bare route's under the same flood",
      is: figureOf(ours.map(({ p99 }, round) => p99 / (bare[round]?.p99 ?? Number.NaN)))?.median,
      atMost: 3,
    },
    {
      what: "calls refused",
      is: [...half, flooded].reduce((sum, each) => sum + each.found.ours.reduce((n, { refused }) => n + refused, 0), 0),
      atMost: 0,
    },
  ];
}

await withTempDir(async (temp) => {
  const stages = await startStages(temp);
  const capacity = new Map<Kind, number>();
  for (const kind of new Set<Kind>(["click", ...kinds])) capacity.set(kind, await capacityOf(kind, stages));
  const half = kinds.map((kind) => halfOf(kind, capacity.get(kind) ?? Number.NaN));
  const flooded = floodOf(capacity.get("click") ?? Number.NaN);

  for (let round = 0; round < options.rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      for (const each of [...half, flooded]) each.found[side].push(await each.run(stages[side]));
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");

  const head = ["call", "calls/s", "p50 ms", "p99 ms", "slowest ms", "bare p50", "bare p99", "bare slowest", "refused"];
  const measured = [...capacity].map(([kind, perSecond]) => `${kind} ${perSecond.toFixed(0)}`).join(", ");
  const markdown = `${machine()} Capacity at ${connections} connections, calls/s: ${measured}.\n\n${table(head, [...half, flooded].map(rowOf))}`;
  const data = { options, capacity: [...capacity], cases: [...half, flooded] };
  await publish({ name: "arrivals", markdown, data, limits: limitsOf(half, flooded) }, options.write);
});
