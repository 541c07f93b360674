import { join } from "node:path";
import type { ServedFiles } from "../scripts/served-files.ts";
import { askingCalls, bareCalls, callsOf, type Kind, kinds, type Workload } from "./calls.ts";
import { createWorkload, prepare, startCopy } from "./database.ts";
import { databaseLimits } from "./database-limit.ts";
import { type Figure, figureOf, type Limit, shown, table } from "./figures.ts";
import type { Window } from "./measure.ts";
import { readOptions } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, type Runtime, startTarget, type Target, type Workers } from "./service.ts";
import { Windows } from "./window.ts";
import { type TempDir, withTempDir } from "./with-temp-dir.ts";

// npm run bench: the cost of each kind of call, compared with a bare route of the same runtime and with the database's
// own limit, all in the same run. docs/performance.md explains how to read it.

interface Pair {
  readonly runtime: Runtime;
  readonly kind: Kind;
  readonly connections: number;
  readonly ours: Window[];
  readonly bare: Window[];
  readonly asking: Window[];
}
type Who = "ours" | "bare" | "asking";

const options = readOptions(
  { only: kinds, connections: [1, 10, 32, 128], rounds: 3, seconds: 1 },
  { connections: [32, 128], runtimes: ["miniflare"], rounds: 3, seconds: 1 },
);
/** More than any machine should reach. */
const perSecondAtMost = 6_000;
const perKind = Math.ceil(perSecondAtMost * (1.4 * options.seconds * options.rounds * options.connections.length + 1));
interface Side {
  readonly runtime: Runtime;
  run(kind: Kind, connections: number, who: Who): Promise<Window>;
}

interface Setup {
  readonly temp: TempDir;
  readonly workers: Workers;
  readonly workload: Workload;
  /** The folder of the database that each side gets a copy of. */
  readonly base: string;
}

async function startSide(runtime: Runtime, { temp, workers, workload, base }: Setup): Promise<Side> {
  const database = await temp.stopAtEnd(startCopy(base, join(temp.directory, `database-${runtime}`)));
  const start = (worker: ServedFiles) => temp.stopAtEnd<Target>(startTarget(runtime, worker, database.url));
  const [ours, bare] = [await start(workers.ours), await start(workers.bare)];
  const calls = callsOf(workload);
  const same = callsOf(workload, true);
  const windows = new Windows(options.seconds);
  return {
    runtime,
    run: (kind, connections, who) => {
      if (who === "ours") return windows.run(who, { target: ours, database }, calls[kind], connections);
      const baseline = (who === "bare" ? bareCalls : askingCalls)(same[kind]);
      return windows.run(who, { target: bare, database: undefined }, baseline, connections);
    },
  };
}

async function measureAll(sides: readonly Side[]): Promise<Pair[]> {
  const pairs = sides.flatMap((side) =>
    options.only.flatMap((kind) =>
      options.connections.map((connections) => ({
        side,
        runtime: side.runtime,
        kind,
        connections,
        ours: [],
        bare: [],
        asking: [],
      })),
    ),
  ) as (Pair & { readonly side: Side })[];
  for (let round = 0; round < options.rounds; round += 1) {
    const isTurned = round % 2 === 1;
    for (const { side, kind, connections, ...windows } of isTurned ? pairs.toReversed() : pairs) {
      const order = ["asking", "ours", "bare"] as const;
      for (const who of isTurned ? order.toReversed() : order) {
        windows[who].push(await side.run(kind, connections, who));
      }
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");
  return pairs.map(({ side: _, ...pair }) => pair);
}

/** Round by round, so that a slowdown of both cancels out. */
const ratioOf = (pair: Pair, baseline: "bare" | "asking" = "bare"): Figure | undefined =>
  figureOf(pair.ours.map((window, round) => window.perSecond / (pair[baseline][round]?.perSecond ?? Number.NaN)));

function tables(pairs: readonly Pair[], limits: ReadonlyMap<Kind, Figure>): string {
  const of = (windows: readonly Window[], what: keyof Omit<Window, "isCompacted">) =>
    figureOf(windows.map((window) => window[what]));
  const speed = pairs.map((pair) => {
    const limit = limits.get(pair.kind);
    return [
      pair.kind,
      String(pair.connections),
      shown(of(pair.ours, "perSecond")) + (pair.ours.some(({ isCompacted }) => isCompacted) ? " *" : ""),
      shown(of(pair.ours, "p50")),
      shown(of(pair.ours, "p99")),
      shown(of(pair.bare, "perSecond")),
      shown(of(pair.bare, "p99")),
      shown(of(pair.asking, "perSecond")),
      shown(ratioOf(pair)),
      shown(ratioOf(pair, "asking")),
      limit ? shown(figureOf(pair.ours.map((window) => window.perSecond / limit.median))) : "-",
    ];
  });
  const cost = pairs.map(({ kind, connections, ours }) => [
    kind,
    String(connections),
    ...(["requests", "workerdMs", "sqldMs", "rows", "bytesKept", "bytesWritten"] as const).map((what) =>
      shown(of(ours, what)),
    ),
  ]);
  const first = ["call", "connections"];
  return [
    "Speed",
    table(
      [
        ...first,
        "calls/s",
        "p50 ms",
        "p99 ms",
        "bare/s",
        "bare p99 ms",
        "asking/s",
        "of bare",
        "of asking",
        "of the database",
      ],
      speed,
    ),
    "Cost per call",
    table(
      [...first, "database requests", "workerd CPU ms", "sqld CPU ms", "rows", "bytes kept", "bytes written"],
      cost,
    ),
    "The database's own limit, calls/s",
    table(
      ["call", "calls/s"],
      [...limits].map(([kind, figure]) => [kind, shown(figure)]),
    ),
  ].join("\n\n");
}

function limitsOf(pairs: readonly Pair[]): Limit[] {
  const find = (kind: Kind, connections: number) =>
    pairs.find((pair) => pair.runtime === "miniflare" && pair.kind === kind && pair.connections === connections);
  const median = (windows: readonly Window[] | undefined, what: "p99" | "requests") =>
    figureOf(windows?.map((window) => window[what]) ?? [])?.median;
  const atLeast = { click: 0.5, lead: 0.25, sale: 0.25 };
  const of32 = (["click", "lead", "sale"] as const).flatMap((kind) => {
    const pair = find(kind, 32);
    const [ours, bare] = [median(pair?.ours, "p99"), median(pair?.bare, "p99")];
    return [
      { what: `${kind}: of the bare route, 32 connections`, is: pair && ratioOf(pair)?.median, atLeast: atLeast[kind] },
      { what: `${kind}: p99 of the bare route's, 32 connections`, is: ours && bare && ours / bare, atMost: 2 },
    ];
  });
  return [
    ...of32,
    { what: "sale: database requests, 128 connections", is: median(find("sale", 128)?.ours, "requests"), atMost: 0.1 },
  ];
}

await withTempDir(async (temp) => {
  const workers = await buildWorkers(temp.directory);
  const base = join(temp.directory, "base");
  const loaded = (kind: Kind) => (options.only.includes(kind) ? perKind : 0);
  const workload = await prepare(base, (database) => createWorkload(database, loaded("sale"), loaded("refund")));
  const limits = await databaseLimits({ temp, worker: workers.ours, workload, base }, options);
  const sides: Side[] = [];
  for (const runtime of options.runtimes) sides.push(await startSide(runtime, { temp, workers, workload, base }));
  const pairs = await measureAll(sides);
  for (const runtime of options.runtimes) {
    const own = pairs.filter((pair) => pair.runtime === runtime);
    const markdown = `${machine()}\n\n${tables(own, limits)}`;
    const data = { options, pairs: own, limits: [...limits] };
    await publish({ name: runtime, markdown, data, limits: limitsOf(own) }, options.write);
  }
});
