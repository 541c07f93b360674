import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { shardLines } from "#domain/shard-list.ts";
import { testSecrets } from "../harness/service.ts";
import type { World } from "../harness/world.ts";
import { openPatiently } from "../scripts/database/client.ts";
import { node, root } from "../scripts/root.ts";
import { countRows } from "../scripts/shards/shapes.ts";
import { figureOf, shown, table } from "./figures.ts";
import { load, stockOf } from "./load.ts";
import { readOptions, unlessTried } from "./options.ts";
import { machine, publish } from "./results.ts";
import { type Shards, startShards, worldOn } from "./shard-service.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:moves: how long the command that moves a program to another shard takes. It runs in a process of its
// own, as when an operator runs it.

const options = readOptions({ only: [], connections: [], rounds: 5, seconds: 1 }, { rounds: 2 });
/** The numbers of clicks of programs with 20,000 rows and with a million rows in all. */
const [small, large] = unlessTried([7_600, 392_000], [10, 20]);

/** Moves a program, and returns how many seconds it took. */
async function move({ databases, shards, url }: Shards, { programId }: World): Promise<number> {
  const env = {
    ...process.env,
    DATABASE_URL: databases[0]?.url ?? "",
    SHARDS: shardLines(shards),
    BASE_URL: url,
    DATABASE_AUTH_TOKEN: testSecrets.DATABASE_AUTH_TOKEN,
  };
  const args = ["scripts/tributary.ts", "shards", "move", String(programId), "2", "--yes"];
  const startedAt = performance.now();
  await promisify(execFile)(node, args, { cwd: root, env });
  process.stderr.write(".");
  return (performance.now() - startedAt) / 1_000;
}

interface Moves {
  readonly rows: number;
  readonly seconds: readonly number[];
}

/** Moves `count` programs, one after the other. */
async function moves(shards: Shards, clicks: number, count: number): Promise<Moves> {
  const seconds: number[] = [];
  let rows = 0;
  for (let n = 0; n < count; n += 1) {
    const world = await worldOn(shards, 1);
    await load(world, stockOf(clicks, (clicks + n) * 10 ** 6));
    const counts = await countRows(openPatiently({ url: shards.databases[1]?.url ?? "" }), world.programId);
    rows = counts.reduce((sum, each) => sum + each, 0);
    seconds.push(await move(shards, world));
  }
  return { rows, seconds };
}

await withTempDir(async (temp) => {
  const shards = await startShards(temp, 3);
  const little = await moves(shards, small, options.rounds);
  const much = process.argv.includes("--quick") ? undefined : await moves(shards, large, 1);
  await shards.stop();
  const all = much === undefined ? [little] : [little, much];
  const rows = all.map((each) => [
    each.rows.toLocaleString("en"),
    String(each.seconds.length),
    shown(figureOf(each.seconds)),
  ]);
  const limits = [
    { what: "a move of 20,000 rows, s", is: Math.max(...little.seconds), atMost: 30 },
    { what: "a move of a million rows, s", is: much?.seconds[0], atMost: 900 },
  ];
  const markdown = `${machine()}\n\n${table(["rows", "moves", "seconds"], rows)}`;
  await publish({ name: "moves", markdown, data: { options, all }, limits }, options.write);
});
