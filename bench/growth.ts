import { join } from "node:path";
import { type Calls, callsOf, type Kind, kinds } from "./calls.ts";
import { openWorld, prepare, startCopy } from "./database.ts";
import { figureOf, type Limit, shown, table } from "./figures.ts";
import { stockOf } from "./load.ts";
import type { Measured, Window } from "./measure.ts";
import { readOptions, unlessTried } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { callsAtMost, Windows } from "./window.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:growth: the cost of a call with up to a million stored clicks. Three databases, each with a service,
// take turns, so that a slowdown of the machine affects all three.

const sizes = unlessTried([0, 100_000, 1_000_000], [0, 1_000]);
const options = readOptions({ only: kinds, connections: [32], rounds: 5, seconds: 1.5 }, { rounds: 3, seconds: 1 });
const perKind = callsAtMost(options, options.connections.length);

interface Grown extends Measured {
  readonly clicks: number;
  readonly calls: Readonly<Record<Kind, Calls>>;
  readonly windows: Windows;
}

/** Measures the databases in turn. Each round begins with a different database. */
async function measure(grown: readonly Grown[], kind: Kind, connections: number): Promise<Map<Grown, Window[]>> {
  const found = new Map(grown.map((each) => [each, [] as Window[]]));
  for (let round = 0; round < options.rounds; round += 1) {
    const first = round % grown.length;
    for (const each of [...grown.slice(first), ...grown.slice(0, first)]) {
      found.get(each)?.push(await each.windows.run("grown", each, each.calls[kind], connections));
    }
    process.stderr.write(".");
  }
  return found;
}

await withTempDir(async (temp) => {
  const { ours } = await buildWorkers(temp.directory);
  const grown: Grown[] = [];
  for (const clicks of sizes) {
    const at = (name: string) => join(temp.directory, `${name}-${clicks}`);
    // All databases have the same data, except for the number of stored clicks.
    const stock = { clicks: 0, customers: 2 * perKind, sales: perKind, days: 30, base: 10 ** 9 };
    const world = await prepare(at("base"), (empty) => openWorld(empty, stockOf(clicks, 2 * 10 ** 9), stock));
    const database = await temp.stopAtEnd(startCopy(at("base"), at("database")));
    const target = await temp.stopAtEnd(startTarget(ours, database.url));
    grown.push({ clicks, target, database, calls: callsOf({ world, stock }), windows: new Windows(options.seconds) });
  }

  const rows: string[][] = [];
  const data: object[] = [];
  const limits: Limit[] = [];
  const kindsAndConnections = options.only.flatMap((kind) =>
    options.connections.map((connections) => ({ kind, connections })),
  );
  for (const { kind, connections } of kindsAndConnections) {
    const found = await measure(grown, kind, connections);
    const [empty = []] = found.values();
    for (const [{ clicks }, windows] of found) {
      const of = (what: "perSecond" | "p50" | "p99") => figureOf(windows.map((window) => window[what]));
      const ratio = figureOf(
        windows.map(({ perSecond }, round) => perSecond / (empty[round]?.perSecond ?? Number.NaN)),
      );
      if (clicks === Math.max(...sizes)) {
        const what = `${kind}: with ${clicks.toLocaleString("en")} clicks, of the empty database's, ${connections} connections`;
        limits.push({ what, is: ratio?.median, atLeast: 0.9 });
      }
      rows.push([
        kind,
        String(connections),
        clicks.toLocaleString("en"),
        ...(["perSecond", "p50", "p99"] as const).map((what) => shown(of(what))),
        clicks === 0 ? "1" : shown(ratio),
      ]);
      data.push({ kind, connections, clicks, windows });
    }
  }
  process.stderr.write("\n");
  const head = ["call", "connections", "clicks stored", "calls/s", "p50 ms", "p99 ms", "of the empty one"];
  const details = table(head, rows);
  await publish({ name: "growth", markdown: machine(), details, data: { options, data }, limits }, options.write);
});
