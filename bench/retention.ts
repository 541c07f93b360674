import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { dayMs } from "#domain/calendar.ts";
import { createApi } from "../harness/client.ts";
import { createWorld } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { startDatabase } from "./database.ts";
import { figureOf, shown, table } from "./figures.ts";
import { load } from "./load.ts";
import { readOptions, unlessTried } from "./options.ts";
import { p99Times, pacedSales, percentile } from "./paced-sales.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:retention: what sales take while another program's million old clicks are removed.

const oldClicks = unlessTried(1_000_000, 50_000);
const warmUpMs = unlessTried(3_000, 0);
const options = readOptions({ only: [], connections: [], rounds: 7, seconds: 8 }, { rounds: 2 });

interface Window {
  /** Of sales, the quickest first (ms). */
  readonly took: readonly number[];
  readonly removedPerSecond: number;
}

await withTempDir(async (temp) => {
  const { ours } = await buildWorkers(temp.directory);
  const database = await temp.stopAtEnd(startDatabase(join(temp.directory, "database")));
  await migrate({ url: database.url });
  const seller = await createWorld(database.url);
  const old = await createWorld(database.url);
  const stock = { clicks: oldClicks, customers: 0, sales: 0, days: 80, daysAgo: 410, base: 10 ** 9 };
  await load(old, stock);
  const clicksLeft = async () => {
    const [row] = await old.rows("select count(*) as left from clicks where program_id = ?", old.programId);
    return Number(row?.left);
  };

  /** A service starts for each window, since it looks at what is due when it starts. */
  const measure = async (which: "alone" | "beside"): Promise<Window> => {
    const dueAt = which === "alone" ? Date.now() + dayMs : 0;
    await old.write({ sql: "update program_retention set due_at = ?", args: [dueAt] });
    const target = await startTarget(ours, database.url);
    try {
      const selling = { api: createApi(target.url), world: seller };
      await pacedSales(selling, until(warmUpMs));
      const before = await clicksLeft();
      const startedAt = performance.now();
      const took = await pacedSales(selling, until(options.seconds * 1_000));
      const seconds = (performance.now() - startedAt) / 1_000;
      const left = await clicksLeft();
      if (which === "beside" && left === 0) throw new Error("all clicks were removed before the window ended");
      return { took, removedPerSecond: (before - left) / seconds };
    } finally {
      await target.stop();
      await delay(100);
    }
  };

  const rounds: Readonly<Record<"alone" | "beside", Window>>[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    if (round % 2 === 0) rounds.push({ alone: await measure("alone"), beside: await measure("beside") });
    else {
      const beside = await measure("beside");
      rounds.push({ alone: await measure("alone"), beside });
    }
    process.stderr.write(".");
  }
  process.stderr.write("\n");

  const rows = (["alone", "beside"] as const).map((which) => [
    which === "alone" ? "nothing" : `the removal of ${oldClicks.toLocaleString("en")} clicks`,
    shown(figureOf(rounds.map((round) => percentile(round[which].took, 0.5)))),
    shown(figureOf(rounds.map((round) => percentile(round[which].took, 0.99)))),
    shown(figureOf(rounds.map((round) => round[which].removedPerSecond))),
  ]);
  const ratio = figureOf(rounds.map(({ alone, beside }) => p99Times(beside.took, alone.took)));
  const limits = [{ what: "a sale's p99 beside it, times alone", is: ratio?.median, atMost: 1.3 }];
  const markdown = `${machine()}\n\n${table(["beside", "sale p50 ms", "sale p99 ms", "clicks removed a second"], rows)}`;
  await publish({ name: "retention", markdown, data: { options, rounds }, limits }, options.write);
});

function until(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() > end;
}
