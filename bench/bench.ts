import { join } from "node:path";
import { chosenRuntime } from "../harness/runtimes.ts";
import { compare } from "./against.ts";
import { askingCalls, bareCalls, callsOf, type Kind, kinds, type Workload } from "./calls.ts";
import { createWorkload, prepare, startCopy } from "./database.ts";
import { type DatabaseLimit, databaseLimits } from "./database-limit.ts";
import { type Figure, figureOf, type Limit, shown, table } from "./figures.ts";
import type { Window } from "./measure.ts";
import { readOptions } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget, type Workers } from "./service.ts";
import { measureStarts } from "./starts.ts";
import { callsAtMost, Windows } from "./window.ts";
import { type TempDir, withTempDir } from "./with-temp-dir.ts";

// npm run bench: the cost of each kind of call, compared with a route that stores nothing and, on workerd, with sqld's
// own limit, all in the same run. Then the time of a start and the memory of an idle service; with --starts, only these
// two. docs/performance.md explains how to read the results.

interface Pair {
  readonly kind: Kind;
  readonly connections: number;
  readonly ours: Window[];
  readonly bare: Window[];
  readonly asking: Window[];
}
type Who = "ours" | "bare" | "asking";

const options = readOptions(
  { only: kinds, connections: [1, 32, 128], rounds: 3, seconds: 3 },
  { connections: [32], rounds: 2, seconds: 2 },
  { against: { connections: [10, 32, 128], rounds: 7 }, modes: ["starts"] },
);
const perKind = callsAtMost(options, options.connections.length);

type Run = (kind: Kind, connections: number, who: Who) => Promise<Window>;

interface Setup {
  readonly temp: TempDir;
  readonly workers: Workers;
  readonly workload: Workload;
  /** The folder of the database that the service gets a copy of. */
  readonly base: string;
}

async function start({ temp, workers, workload, base }: Setup): Promise<Run> {
  const database = await temp.stopAtEnd(startCopy(base, join(temp.directory, "database")));
  const ours = await temp.stopAtEnd(startTarget(workers.ours, database.url));
  const bare = await temp.stopAtEnd(startTarget(workers.bare, database.url));
  const calls = callsOf(workload);
  const same = callsOf(workload, true);
  const windows = new Windows(options.seconds);
  return (kind, connections, who) => {
    if (who === "ours") return windows.run(who, { target: ours, database }, calls[kind], connections);
    const baseline = (who === "bare" ? bareCalls : askingCalls)(same[kind]);
    return windows.run(who, { target: bare, database: undefined }, baseline, connections);
  };
}

async function measureAll(run: Run): Promise<Pair[]> {
  const pairs: Pair[] = options.only.flatMap((kind) =>
    options.connections.map((connections) => ({ kind, connections, ours: [], bare: [], asking: [] })),
  );
  for (let round = 0; round < options.rounds; round += 1) {
    const isTurned = round % 2 === 1;
    for (const { kind, connections, ...windows } of isTurned ? pairs.toReversed() : pairs) {
      const order = ["asking", "ours", "bare"] as const;
      for (const who of isTurned ? order.toReversed() : order) windows[who].push(await run(kind, connections, who));
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");
  return pairs;
}

/** The ratio to the baseline's calls per second, by round, so that a slowdown of the machine cancels out. */
const ratioOf = (pair: Pair, baseline: "bare" | "asking" = "bare"): Figure | undefined =>
  figureOf(pair.ours.map((window, round) => window.perSecond / (pair[baseline][round]?.perSecond ?? Number.NaN)));

function tables(pairs: readonly Pair[], limits: ReadonlyMap<Kind, DatabaseLimit>): string {
  const of = (windows: readonly Window[], what: keyof Window) => figureOf(windows.map((window) => window[what]));
  const speed = pairs.map((pair) => {
    const limit = limits.get(pair.kind);
    return [
      pair.kind,
      String(pair.connections),
      shown(of(pair.ours, "perSecond")),
      shown(of(pair.ours, "p50")),
      shown(of(pair.ours, "p99")),
      shown(of(pair.bare, "perSecond")),
      shown(of(pair.bare, "p99")),
      shown(of(pair.asking, "perSecond")),
      shown(ratioOf(pair)),
      shown(ratioOf(pair, "asking")),
      limit ? shown(figureOf(pair.ours.map((window) => window.perSecond / limit.perSecond.median))) : "-",
    ];
  });
  const costs = {
    "CPU ms": "cpuMs",
    "database requests": "requests",
    rows: "rows",
    pages: "pages",
    "bytes kept": "bytesKept",
    "bytes written": "bytesWritten",
  } as const;
  const cost = pairs.map(({ kind, connections, ours }) => [
    kind,
    String(connections),
    ...Object.values(costs).map((what) => shown(of(ours, what))),
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
    table([...first, ...Object.keys(costs)], cost),
    ...(limits.size === 0 ? [] : ["The database's own limit, calls/s", limitTable(limits)]),
  ].join("\n\n");
}

const limitTable = (limits: ReadonlyMap<Kind, DatabaseLimit>): string =>
  table(
    ["call", "calls/s", "calls per commit", "statements per commit"],
    [...limits].map(([kind, { perSecond, callsPerCommit, statements }]) => [
      kind,
      shown(perSecond),
      shown(callsPerCommit),
      shown(statements),
    ]),
  );

function limitsOf(pairs: readonly Pair[]): Limit[] {
  const find = (kind: Kind, connections: number) =>
    pairs.find((pair) => pair.kind === kind && pair.connections === connections);
  const atLeast = { click: 0.45, lead: 0.4, sale: 0.28 };
  const requests = find("sale", 128)?.ours.map((window) => window.requests);
  return [
    ...(["click", "lead", "sale"] as const).map((kind) => {
      const pair = find(kind, 32);
      const is = pair && ratioOf(pair, "asking")?.median;
      return { what: `${kind}: of the asking route, 32 connections`, is, atLeast: atLeast[kind] };
    }),
    { what: "sale: database requests, 128 connections", is: requests && figureOf(requests)?.median, atMost: 0.05 },
  ];
}

async function measureCosts(temp: TempDir): Promise<void> {
  const workers = await buildWorkers(temp.directory);
  const base = join(temp.directory, "base");
  const loaded = (kind: Kind) => (options.only.includes(kind) ? perKind : 0);
  const workload = await prepare(base, (database) => createWorkload(database, loaded("sale"), loaded("refund")));
  // On Node, the service opens the database file itself, so there are no database requests to replay.
  const limits =
    chosenRuntime(process.env) === "node"
      ? new Map<Kind, DatabaseLimit>()
      : await databaseLimits({ temp, worker: workers.ours, workload, base }, options);
  const pairs = await measureAll(await start({ temp, workers, workload, base }));
  const markdown = `${machine()}\n\n${tables(pairs, limits)}`;
  const data = { options, pairs, limits: [...limits] };
  await publish({ name: "calls", markdown, data, limits: limitsOf(pairs) }, options.write);
}

const reportStarts = async (temp: TempDir) =>
  publish({ name: "starts", ...(await measureStarts(temp)) }, options.write);

async function measureAlone(temp: TempDir): Promise<void> {
  await measureCosts(temp);
  if (options.only.length === kinds.length) await reportStarts(temp);
}

const { against } = options;
await withTempDir((temp) => {
  if (against !== undefined) return compare(temp, against, options);
  return process.argv.includes("--starts") ? reportStarts(temp) : measureAlone(temp);
});
