import { join } from "node:path";
import { createApi } from "../harness/client.ts";
import { signUp, type User } from "../harness/session.ts";
import { createWorld, type World } from "../harness/world.ts";
import { type Sender, type Sent, sendRows } from "../importer/index.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { startDatabase } from "./database.ts";
import { figureOf, shown, table } from "./figures.ts";
import { readOptions, unlessTried } from "./options.ts";
import { p99Times, pacedSales, percentile } from "./paced-sales.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:import: how long the import code of the dashboard takes to check and to import customers, and how long
// sales take meanwhile.

const customersPerRound = unlessTried(4_000, 100);
const customersAsked = 50_000;
const options = readOptions({ only: [], connections: [], rounds: 7, seconds: 10 }, { rounds: 2 });

interface Program {
  readonly owner: User;
  readonly world: World;
}

const senderFor = ({ owner, world }: Program): Sender => {
  const path = `/api/programs/${world.programId}/imports/rows`;
  return async ({ kind, source, update, isDryRun, rows }) => {
    const json = { kind, source, update, dryRun: isDryRun, rows: rows.map((row) => ({ ...row })) };
    const { status, body, text } = await owner.post<{ data: { rows: Sent["results"] } }>(path, json);
    if (status === 200) return { is: "answered", rows: body.data.rows };
    return status === 429 || status === 503
      ? { is: "again", why: text, isBusy: status === 429 }
      : { is: "refused", why: text };
  };
};

/** Imports customers, or only checks them with `isDryRun`. Returns how long it took (ms). */
async function importCustomers(program: Program, name: string, isDryRun: boolean): Promise<number> {
  const rows = Array.from({ length: customersPerRound }, (_, i) => ({
    line: i + 1,
    customer_key: `${name} ${i}`,
    partner_code: program.world.partners[i % 10]?.code ?? "",
    subscription_id: `sub ${name} ${i}`,
  }));
  const sent = performance.now();
  const { ended, why, tally } = await sendRows({
    kind: "customers",
    source: "Former program",
    update: false,
    isDryRun,
    rows,
    send: senderFor(program),
  });
  if (ended !== "done" || tally.created !== rows.length) throw new Error(`${ended} ${why} ${JSON.stringify(tally)}`);
  return performance.now() - sent;
}

const beside = ["nothing", "the check", "the import"] as const;

await withTempDir(async (temp) => {
  const { ours } = await buildWorkers(temp.directory);
  const database = await temp.stopAtEnd(startDatabase(join(temp.directory, "database")));
  await migrate({ url: database.url });
  const target = await temp.stopAtEnd(startTarget(ours, database.url));
  const owner = await signUp(target.url);
  const partners = Array.from({ length: 10 }, () => ({}));
  const world = await createWorld(database.url, { members: [{ user: owner, role: "owner" }], partners });
  const program = { owner, world };
  const seller = { api: createApi(target.url), world };

  const until = async (running: Promise<number>) => {
    let ms: number | undefined;
    const [took] = await Promise.all([
      pacedSales(seller, () => ms !== undefined),
      running.then((value) => {
        ms = value;
      }),
    ]);
    return { took, ms };
  };
  const waiting = () =>
    new Promise<number>((resolve) => setTimeout(() => resolve(options.seconds * 1_000), options.seconds * 1_000));
  await until(waiting());

  const rounds: Readonly<Record<(typeof beside)[number], Awaited<ReturnType<typeof until>>>>[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    rounds.push({
      nothing: await until(waiting()),
      "the check": await until(importCustomers(program, `round ${round}`, true)),
      "the import": await until(importCustomers(program, `round ${round}`, false)),
    });
    process.stderr.write(".");
  }
  process.stderr.write("\n");

  const figure = (which: (typeof beside)[number], of: number) =>
    figureOf(rounds.map((round) => percentile(round[which].took, of)));
  const secondsForAll = (which: (typeof beside)[number]) =>
    figureOf(rounds.map((round) => ((round[which].ms ?? Number.NaN) / 1_000) * (customersAsked / customersPerRound)));
  const ratio = (which: (typeof beside)[number]) =>
    figureOf(rounds.map((round) => p99Times(round[which].took, round.nothing.took)));
  const rows = beside.map((which) => [
    which,
    shown(figure(which, 0.5)),
    shown(figure(which, 0.99)),
    which === "nothing" ? "-" : shown(ratio(which)),
    which === "nothing" ? "-" : shown(secondsForAll(which)),
  ]);
  const limits = [
    { what: "the check of 50,000 customers, s", is: secondsForAll("the check")?.median, atMost: 60 },
    { what: "the import of 50,000 customers, s", is: secondsForAll("the import")?.median, atMost: 300 },
    { what: "a sale's p99 during the check, times alone", is: ratio("the check")?.median, atMost: 1.5 },
    { what: "a sale's p99 during the import, times alone", is: ratio("the import")?.median, atMost: 1.5 },
  ];
  const head = ["during", "sale p50 ms", "sale p99 ms", "p99, times alone", "s for 50,000 customers"];
  await publish(
    { name: "import", markdown: `${machine()}\n\n${table(head, rows)}`, data: { options, rounds }, limits },
    options.write,
  );
});
