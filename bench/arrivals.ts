import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { bareCalls, callsOf, type Kind } from "./calls.ts";
import { createWorkload, prepare, startCopy } from "./database.ts";
import { figureOf, type Limit, shown, table } from "./figures.ts";
import { drive, flood } from "./generator.ts";
import { arrive, type OpenLoop } from "./open-loop.ts";
import { readOptions } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:arrivals: latency of calls that arrive at a rate, at half of the capacity measured in the same run, and
// of sales while clicks arrive at twice the capacity. The bare route gets the same calls.

const recorded = ["click", "lead", "sale"] as const satisfies readonly Kind[];
const options = readOptions({ only: recorded, connections: [32], runtimes: ["workerd"], rounds: 3, seconds: 5 }, {});
const [runtime = "workerd"] = options.runtimes;
const kinds = recorded.filter((kind) => options.only.includes(kind));
const [connections = 32] = options.connections;
const warmUpSeconds = 2;
const expectedPerSecond = 2_500;
const floodConnections = 200;
const salesPerSecond = 50;

interface Pair<T = OpenLoop> {
  readonly ours: T[];
  readonly bare: T[];
}
interface Flooded extends OpenLoop {
  /** Clicks answered meanwhile. */
  readonly floodPerSecond: number;
}

await withTempDir(async (temp) => {
  const workers = await buildWorkers(temp.directory);
  const base = join(temp.directory, "base");
  const sales = expectedPerSecond * (options.seconds + warmUpSeconds) * (options.rounds + 2);
  const workload = await prepare(base, (database) => createWorkload(database, sales, 0));
  const database = await temp.stopAtEnd(startCopy(base, join(temp.directory, "database")));
  const start = (worker: typeof workers.ours) => temp.stopAtEnd(startTarget(runtime, worker, database.url));
  const sides = {
    ours: { url: (await start(workers.ours)).url, calls: callsOf(workload) },
    bare: { url: (await start(workers.bare)).url, calls: callsOf(workload, true) },
  };
  const callsFor = (who: keyof Pair, kind: Kind) =>
    who === "ours" ? sides.ours.calls[kind] : bareCalls(sides.bare.calls[kind]);

  const capacity = new Map<Kind, number>();
  for (const kind of new Set<Kind>(["click", ...kinds])) {
    const warm = await drive(sides.ours.url, callsFor("ours", kind), connections, 500 * warmUpSeconds);
    const amount = Math.ceil(warm.perSecond * options.seconds);
    capacity.set(kind, (await drive(sides.ours.url, callsFor("ours", kind), connections, amount)).perSecond);
    await drive(sides.bare.url, callsFor("bare", kind), connections, 2_000 * warmUpSeconds);
  }
  const capacityOf = (kind: Kind) => capacity.get(kind) ?? Number.NaN;

  async function flooded(who: keyof Pair): Promise<Flooded> {
    const { url } = sides[who];
    const clicks = flood(url, callsFor(who, "click"), {
      connections: floodConnections,
      perSecond: 2 * capacityOf("click"),
      seconds: options.seconds + 2 * warmUpSeconds,
    });
    await delay(warmUpSeconds * 1_000);
    const sales = await arrive(url, callsFor(who, "sale"), salesPerSecond, options.seconds);
    const perSecond = (await clicks) / (options.seconds + 2 * warmUpSeconds);
    return { ...sales, floodPerSecond: perSecond };
  }

  const half = new Map(kinds.map((kind) => [kind, { ours: [], bare: [] } as Pair]));
  const besideFlood: Pair<Flooded> = { ours: [], bare: [] };
  for (let round = 0; round < options.rounds; round += 1) {
    for (const who of round % 2 === 0 ? (["ours", "bare"] as const) : (["bare", "ours"] as const)) {
      for (const [kind, pair] of half) {
        const { url } = sides[who];
        pair[who].push(await arrive(url, callsFor(who, kind), capacityOf(kind) / 2, options.seconds));
      }
      besideFlood[who].push(await flooded(who));
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");

  const of = (windows: readonly OpenLoop[], what: keyof OpenLoop) => figureOf(windows.map((each) => each[what]));
  const line = (name: string, rate: number, { ours, bare }: Pair) => [
    name,
    rate.toFixed(0),
    ...[ours, bare].flatMap((windows) => (["p50", "p99", "slowest"] as const).map((what) => shown(of(windows, what)))),
    shown(of(ours, "refused")),
  ];
  const rows = [
    ...[...half].map(([kind, pair]) => line(kind, capacityOf(kind) / 2, pair)),
    line("sale, next to a flood of clicks", salesPerSecond, besideFlood),
  ];
  const ratio = (over: OpenLoop[], under: OpenLoop[], what: "p99", by: "p50" | "p99") =>
    figureOf(over.map((each, round) => each[what] / (under[round]?.[by] ?? Number.NaN)))?.median;
  const all = [...half.values(), besideFlood];
  const limits: Limit[] = [
    ...[...half].map(([kind, { ours }]) => ({
      what: `${kind}: p99 at half of capacity, of its p50`,
      is: ratio(ours, ours, "p99", "p50"),
      atMost: 5,
    })),
    {
      what: "sale: p99 next to a flood, of the bare route's under the same flood",
      is: ratio(besideFlood.ours, besideFlood.bare, "p99", "p99"),
      atMost: 3,
    },
    {
      what: "calls refused",
      is: all.reduce((sum, { ours }) => sum + ours.reduce((refused, each) => refused + each.refused, 0), 0),
      atMost: 0,
    },
  ];
  const head = ["call", "calls/s", "p50 ms", "p99 ms", "slowest ms", "bare p50", "bare p99", "bare slowest", "refused"];
  const markdown = `${machine()} Runtime: ${runtime}. Capacity at ${connections} connections, calls/s: ${[...capacity]
    .map(([kind, perSecond]) => `${kind} ${perSecond.toFixed(0)}`)
    .join(", ")}.\n\n${table(head, rows)}`;
  const data = { options, capacity: [...capacity], half: [...half], besideFlood };
  await publish({ name: "arrivals", markdown, data, limits }, options.write);
});
