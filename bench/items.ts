import { join } from "node:path";
import { createWorld, type WorldSettings } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { type Calls, callsOf } from "./calls.ts";
import { startDatabase } from "./database.ts";
import { figureOf, shown, table } from "./figures.ts";
import { load } from "./load.ts";
import type { Window } from "./measure.ts";
import { readOptions } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { callsAtMost, Windows } from "./window.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:items: what ten items, a rule for one of them and a coupon add to a sale.

const options = readOptions({ only: [], connections: [10, 32], rounds: 7, seconds: 3 }, { rounds: 2, seconds: 2 });
const perProgram = callsAtMost(options, options.connections.length);

const itemsSold = Array.from({ length: 10 }, (_, i) => ({ product_id: `product-${i}`, amount_cents: 490 }));
/** At the policy's own rate, so that every sale earns the same. */
const rule = { label: "Product 3", when: { productIds: ["product-3"] }, rateBps: 2_000 };
const withRule: WorldSettings = { policies: [{ rules: [rule] }], coupons: [{ codes: ["TEN"] }] };

const withItems = (calls: Calls): Calls => ({
  ...calls,
  body: () => JSON.stringify({ ...JSON.parse(calls.body()), items: itemsSold, coupon_codes: ["TEN"] }),
});

await withTempDir(async (temp) => {
  const { ours } = await buildWorkers(temp.directory);
  const database = await temp.stopAtEnd(startDatabase(join(temp.directory, "database")));
  await migrate({ url: database.url });
  const programWith = async (settings: WorldSettings, base: number): Promise<Calls> => {
    const world = await createWorld(database.url, settings);
    const stock = { clicks: 0, customers: perProgram, sales: 0, days: 30, base };
    await load(world, stock);
    return callsOf({ world, stock }).sale;
  };
  const plain = await programWith({}, 10 ** 9);
  const rich = withItems(await programWith(withRule, 2 * 10 ** 9));
  const target = await temp.stopAtEnd(startTarget(ours, database.url));
  const windows = new Windows(options.seconds);

  const pairs = options.connections.map((connections) => ({
    connections,
    plain: [] as Window[],
    rich: [] as Window[],
  }));
  for (let round = 0; round < options.rounds; round += 1) {
    for (const pair of pairs) {
      const order = ["plain", "rich"] as const;
      for (const which of round % 2 === 1 ? order.toReversed() : order) {
        const calls = which === "plain" ? plain : rich;
        pair[which].push(await windows.run(which, { target, database }, calls, pair.connections));
      }
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");

  const columns = {
    "p50 ms": ({ p50 }: Window) => p50,
    "p99 ms": ({ p99 }: Window) => p99,
    "CPU ms": ({ cpuMs }: Window) => cpuMs,
    rows: ({ rows }: Window) => rows,
  };
  const lines = pairs.flatMap(({ connections, ...of }) =>
    (["plain", "rich"] as const).map((which) => [
      String(connections),
      which === "plain" ? "nothing more" : "ten items, a coupon",
      ...Object.values(columns).map((column) => shown(figureOf(of[which].map(column)))),
    ]),
  );
  const ratio = (pair: (typeof pairs)[number], of: (window: Window) => number | undefined) =>
    figureOf(pair.rich.map((window, round) => (of(window) ?? Number.NaN) / (of(pair.plain[round] ?? window) ?? 1)));
  const limits = pairs.flatMap((pair) => [
    {
      what: `CPU of a sale with ten items and a coupon, times one without, ${pair.connections} connections`,
      is: ratio(pair, ({ cpuMs }) => cpuMs)?.median,
      atMost: 1.3,
    },
    { what: `its p50, ${pair.connections} connections`, is: ratio(pair, ({ p50 }) => p50)?.median, atMost: 1.3 },
  ]);
  const head = ["connections", "a sale with", ...Object.keys(columns)];
  const markdown = `${machine()}\n\n${table(head, lines)}`;
  await publish({ name: "items", markdown, data: { options, pairs }, limits }, options.write);
});
