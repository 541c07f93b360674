import type { World } from "../harness/world.ts";
import { callsOf } from "./calls.ts";
import { type Figure, figureOf, shown, table } from "./figures.ts";
import { drive } from "./generator.ts";
import { readOptions } from "./options.ts";
import { machine, publish } from "./results.ts";
import { type Shards, startShards, worldOn } from "./shard-service.ts";
import { type TempDir, withTempDir } from "./with-temp-dir.ts";

// npm run bench:shards: what a second shard carries if the databases are far away.
// One workerd is one thread, so that shards on one machine gain where distance is the limit, and nowhere else: on workerd
// and sqld alone, since a database file is not far from its process.

const far = 50;
/** Few enough to leave the processor half idle. */
const callersEach = 32;
const options = readOptions({ only: [], connections: [], rounds: 5, seconds: 3 }, { rounds: 2, seconds: 2 });

/** Clicks a second of all shards, with as many callers on each. */
async function window(shards: Shards, worlds: readonly World[], amount: number): Promise<number> {
  const startedAt = performance.now();
  const noStock = { clicks: 0, customers: 0, sales: 0, days: 1, base: 0 };
  const driven = await Promise.all(
    worlds.map((world) => drive(shards.url, callsOf({ world, stock: noStock }).click, callersEach, amount)),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  return driven.reduce((sum, { calls }) => sum + calls, 0) / seconds;
}

async function measureShards(
  temp: TempDir,
): Promise<{ readonly rows: string[][]; readonly ratio: Figure | undefined }> {
  const counts = [1, 2];
  const started = await Promise.all(counts.map((count) => startShards(temp, count, { far: true })));
  const worlds = await Promise.all(
    started.map((shards) => Promise.all(shards.databases.map((_, shard) => worldOn(shards, shard)))),
  );
  const measured = counts.map((): number[] => []);
  for (const shards of started) shards.delayDatabases(far);
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const [i, shards] of started.entries()) {
      const perSecond = await window(shards, worlds[i] ?? [], options.seconds * 900);
      // The first warms up.
      if (round > 0) measured[i]?.push(perSecond);
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");
  for (const { stop } of started) await stop();
  const [one = [], two = []] = measured;
  const ratio = figureOf(two.map((perSecond, round) => perSecond / (one[round] ?? Number.NaN)));
  const rows = counts.map((count, i) => [
    String(count),
    `${count * callersEach}`,
    shown(figureOf(measured[i] ?? [])),
    i === 0 ? "1" : shown(ratio),
  ]);
  return { rows, ratio };
}

await withTempDir(async (temp) => {
  const { rows, ratio } = await measureShards(temp);
  const markdown = [
    machine(),
    `Clicks, with the databases ${far} ms away and ${callersEach} callers for each shard.`,
    table(["shards", "callers", "clicks/s", "of one"], rows),
  ].join("\n\n");
  const limits = [{ what: `clicks: two shards ${far} ms away, of one`, is: ratio?.median, atLeast: 1.7 }];
  await publish({ name: "shards", markdown, data: { options, rows }, limits }, options.write);
});
