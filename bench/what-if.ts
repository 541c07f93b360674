import { join } from "node:path";
import { dayMs } from "#domain/calendar.ts";
import { type Api, createApi } from "../harness/client.ts";
import { testClickKeys } from "../harness/service.ts";
import { signUp, type User } from "../harness/session.ts";
import { createWorld, type World } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { ratiosOf, tableOf } from "./beside.ts";
import { loadBooks } from "./books.ts";
import { startDatabase } from "./database.ts";
import { figureOf, shown, table } from "./figures.ts";
import { readOptions, unlessTried } from "./options.ts";
import { p99Times, pacedSales, percentile, sell } from "./paced-sales.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { type TempDir, withTempDir } from "./with-temp-dir.ts";

// npm run bench:what-if: how long it takes to simulate a policy over 100,000 sales, and how long new sales take
// meanwhile. With --tiers, how much longer it takes to simulate the same policy with tiers, over 20,000 sales.

const isTiered = process.argv.includes("--tiers");
const simulatedSales = unlessTried(isTiered ? 20_000 : 100_000, 1_000);
const options = readOptions(
  { only: [], connections: [], rounds: isTiered ? 5 : 3, seconds: 10 },
  { rounds: isTiered ? 2 : 1 },
  { modes: ["tiers"] },
);

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

interface Round {
  /** Durations of sales, fastest first (ms). */
  readonly alone: readonly number[];
  readonly beside: readonly number[];
  readonly aloneMs: number;
  readonly besideMs: number | undefined;
}

interface Program {
  readonly api: Api;
  readonly owner: User;
  readonly world: World;
}

const tiers = {
  metric: "sales",
  period: "month",
  steps: [10, 100, 1_000].map((threshold, n) => ({ threshold, rateBps: 1_100 + n * 100 })),
};

/** Simulates a policy, and returns how long it took (ms). */
async function simulate({ owner, world }: Program, terms: object = {}): Promise<number> {
  const sent = performance.now();
  const { text } = await owner.post(`/api/programs/${world.programId}/commission-policy/simulate`, {
    policy: { type: "percent", rateBps: 1_000, scope: "lifetime", ...terms },
    from: dayOf(Date.now() - 100 * dayMs),
    to: dayOf(Date.now()),
  });
  if (!text.includes('"result"')) throw new Error(text.slice(0, 500));
  return performance.now() - sent;
}

async function openProgram(temp: TempDir): Promise<Program> {
  const { ours } = await buildWorkers(temp.directory);
  const database = await temp.stopAtEnd(startDatabase(join(temp.directory, "database")));
  await migrate({ url: database.url });
  const target = await temp.stopAtEnd(startTarget(ours, database.url));
  const owner = await signUp(target.url);
  const api = createApi(target.url);
  const world = await createWorld(database.url, { members: [{ user: owner, role: "owner" }], partners: [{}, {}, {}] });
  await loadBooks(world, testClickKeys, simulatedSales);
  const program = { api, owner, world };
  // The first sales start the Ledger and fill its caches, so they aren't measured.
  for (const run of ["ends", "starts"]) await sell(program, run);
  return program;
}

async function simulateBesideSales(program: Program): Promise<void> {
  const rounds: Round[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const end = performance.now() + options.seconds * 1_000;
    const alone = await pacedSales(program, () => performance.now() > end);
    let simulationMs: number | undefined;
    const [beside] = await Promise.all([
      pacedSales(program, () => simulationMs !== undefined),
      simulate(program).then((ms) => {
        simulationMs = ms;
      }),
    ]);
    rounds.push({ alone, beside, besideMs: simulationMs, aloneMs: await simulate(program) });
    process.stderr.write(".");
  }
  process.stderr.write("\n");

  const ofRounds = (figure: (round: Round) => number | undefined) => figureOf(rounds.map(figure));
  const rows = (["alone", "beside"] as const).map((name) => [
    name === "alone" ? "nothing" : `a simulation of ${simulatedSales} sales`,
    shown(ofRounds((round) => percentile(round[name], 0.5))),
    shown(ofRounds((round) => percentile(round[name], 0.99))),
    shown(ofRounds((round) => (name === "alone" ? round.aloneMs : round.besideMs))),
  ]);
  const simulation = ofRounds(({ besideMs }) => besideMs);
  const ratio = ofRounds(({ beside, alone }) => p99Times(beside, alone));
  const limits = [
    { what: "a simulation of 100,000 sales, ms", is: simulation?.median ?? Number.POSITIVE_INFINITY, atMost: 60_000 },
    { what: "a sale's p99 during it, times alone", is: ratio?.median ?? Number.POSITIVE_INFINITY, atMost: 1.5 },
  ];
  const markdown = `${machine()}\n\n${table(["during", "sale p50 ms", "sale p99 ms", "simulation ms"], rows)}`;
  const figures = rounds.map(({ alone, beside, ...times }) => ({ ...times, sales: [alone.length, beside.length] }));
  await publish({ name: "what-if", markdown, data: { options, rounds: figures }, limits }, options.write);
}

/** Alternates simulations with and without tiers. */
async function simulateTiers(program: Program): Promise<void> {
  const [alone, beside]: [number[], number[]] = [[], []];
  // The first simulation isn't measured.
  await simulate(program);
  for (let round = 0; round < options.rounds; round += 1) {
    alone.push(await simulate(program));
    beside.push(await simulate(program, { tiers }));
    process.stderr.write(".");
  }
  alone.push(await simulate(program));
  process.stderr.write("\n");
  const measured = { alone, beside };
  const limits = [
    { what: "a simulation with tiers, times one without", is: ratiosOf(measured).ratio?.median, atMost: 1.2 },
  ];
  const names = { alone: "without tiers", beside: "with three tiers" };
  const head = [`${simulatedSales} sales`, "simulation ms", "times one without"] as const;
  const markdown = `${machine()}\n\n${tableOf(measured, { head, ...names })}`;
  await publish({ name: "what-if-tiers", markdown, data: { options, measured }, limits }, options.write);
}

await withTempDir(async (temp) => {
  const program = await openProgram(temp);
  await (isTiered ? simulateTiers(program) : simulateBesideSales(program));
});
