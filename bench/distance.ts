import { join } from "node:path";
import { callsOf, type Kind } from "./calls.ts";
import { createWorkload, prepare, startCopy, startProxy, startServer } from "./database.ts";
import { type Figure, figureOf, shown, table } from "./figures.ts";
import type { Window } from "./measure.ts";
import { readOptions } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { callsAtMost, Windows } from "./window.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:distance: the cost of a call when the database is far away. A proxy delays each request by a full round
// trip, and counts. On workerd and sqld alone: a database file is not far from its process.

const delays = [0, 20, 50];
const options = readOptions(
  { only: ["click", "lead", "sale"], connections: [1, 32, 128], rounds: 3, seconds: 1.2 },
  { connections: [32, 128], seconds: 1 },
);

interface Cell {
  readonly kind: Kind;
  readonly connections: number;
  readonly delay: number;
  readonly windows: Window[];
}

await withTempDir(async (temp) => {
  const { ours } = await buildWorkers(temp.directory);
  const base = join(temp.directory, "base");
  const perKind = callsAtMost(options, options.connections.length * delays.length);
  const loaded = (kind: Kind) => (options.only.includes(kind) ? perKind : 0);
  const workload = await prepare(base, (empty) => createWorkload(empty, loaded("sale"), loaded("refund")));
  const database = await temp.stopAtEnd(startCopy(base, join(temp.directory, "database"), startServer));
  const proxy = await startProxy(temp, database);
  const target = await temp.stopAtEnd(startTarget(ours, proxy.url));
  const calls = callsOf(workload);
  const windows = new Windows(options.seconds);

  const cells: Cell[] = options.only.flatMap((kind) =>
    options.connections.flatMap((connections) => delays.map((delay) => ({ kind, connections, delay, windows: [] }))),
  );
  for (let round = 0; round < options.rounds; round += 1) {
    for (const cell of round % 2 === 1 ? cells.toReversed() : cells) {
      const lift = cell.delay === 0 ? () => {} : proxy.inject({ kind: "delay", ms: cell.delay });
      const measured = { target, database, proxy };
      cell.windows.push(await windows.run(`${cell.delay} ms`, measured, calls[cell.kind], cell.connections));
      lift();
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");

  const ratioOf = ({ kind, connections, windows: far }: Cell): Figure | undefined => {
    const near = cells.find((cell) => cell.kind === kind && cell.connections === connections && cell.delay === 0);
    return figureOf(far.map(({ perSecond }, round) => perSecond / (near?.windows[round]?.perSecond ?? Number.NaN)));
  };
  const rows = cells.map((cell) => {
    const of = (value: (window: Window) => number | undefined) => shown(figureOf(cell.windows.map(value)));
    return [
      cell.kind,
      String(cell.connections),
      `${cell.delay} ms`,
      of(({ perSecond }) => perSecond),
      of(({ p50 }) => p50),
      of(({ p99 }) => p99),
      of(({ reads }) => reads),
      of(({ writes }) => writes && 1 / writes),
      cell.delay === 0 ? "1" : shown(ratioOf(cell)),
    ];
  });
  const far = cells.find(({ kind, connections, delay }) => kind === "sale" && connections === 128 && delay === 20);
  const limit = {
    what: "sale: 20 ms from the database, of none, 128 connections",
    is: far && ratioOf(far)?.median,
    atLeast: 0.4,
  };
  const head = ["call", "connections", "distance", "calls/s", "p50 ms", "p99 ms", "reads per call", "calls per commit"];
  const details = table([...head, "of 0 ms"], rows);
  await publish(
    { name: "distance", markdown: machine(), details, data: { options, cells }, limits: [limit] },
    options.write,
  );
});
