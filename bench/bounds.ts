import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Api, createApi } from "../harness/client.ts";
import { testClickKeys } from "../harness/service.ts";
import { signUp, type User } from "../harness/session.ts";
import { createWorld, type World } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { loadBooks } from "./books.ts";
import { startDatabase } from "./database.ts";
import { figureOf, shown, table } from "./figures.ts";
import { openFlood } from "./flood.ts";
import { botSession, floods, refundedSale } from "./floods.ts";
import { readOptions, unlessTried } from "./options.ts";
import { percentile } from "./paced-sales.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:bounds: how long other programs wait while four callers flood a program that has stored much with calls
// of one kind. Each window with a flood follows one without.

const commissions = unlessTried(50_000, 1_000);
const botClicks = unlessTried(100_000, 1_000);
const versions = 999;
const refundsBefore = unlessTried(600, 100);
const callers = 4;
const everyMs = 50;
const overviewEveryMs = 250;
const options = readOptions({ only: [], connections: [], rounds: 7, seconds: 3 }, { rounds: 2 });

interface Program {
  readonly api: Api;
  readonly owner: User;
  readonly world: World;
}

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const numbers = "with recursive n(v) as (select 1 union all select v + 1 from n where v < ?)";

async function copy({ world }: Program, name: string, count: number, changes: Readonly<Record<string, string>>) {
  const columns = (await world.rows(`select name from pragma_table_info('${name}')`)).map((row) => String(row.name));
  const values = columns.map((column) => changes[column] ?? column);
  await world.write({
    sql: `insert into ${name} (${columns}) ${numbers} select ${values} from n,
      (select * from ${name} where program_id = ? order by id desc limit 1) order by v`,
    args: [count, world.programId],
  });
}

async function fill(full: Program): Promise<void> {
  const { api, world } = full;
  await loadBooks(world, testClickKeys, commissions);
  const bot = { session_id: botSession, user_agent: "Googlebot" };
  await api.click({ affiliate_url: world.partner.landingUrl, program_id: world.programId, ...bot });
  await copy(full, "clicks", botClicks, { id: "id + v", click_id: "'copy' || (id + v)" });
  await copy(full, "commission_policies", versions, {
    id: "id + v",
    version: "1 + v",
    effective_from: "effective_from + v",
  });
  await sell(full, refundedSale);
  for (let lot = 0; lot < refundsBefore; lot += 100) {
    await Promise.all(
      times(100, (i) =>
        api.refund(
          { transaction_id: refundedSale, refund_id: `before ${lot + i}`, refund_amount_cents: 1 },
          { key: world.key },
        ),
      ),
    );
  }
  await world.change();
}

const sell = ({ api, world }: Program, id: string) =>
  api.sale({ transaction_id: id, customer_key: id, amount_cents: 1_000_000 }, { key: world.key });

interface Window {
  /** Durations of sales and clicks, fastest first (ms). */
  readonly took: readonly number[];
  readonly overviews: readonly number[];
  /** HTTP statuses of the calls that were refused. */
  readonly refused: readonly number[];
}

/** Sends sales and clicks at a fixed rate, however long each takes. */
async function measure({ api, owner, world }: Program): Promise<Window> {
  const run = randomBytes(4).toString("hex");
  const took: number[] = [];
  const overviews: number[] = [];
  const refused: number[] = [];
  const timed = async (into: number[], sent: Promise<{ readonly status: number }>) => {
    const begun = performance.now();
    const { status } = await sent;
    into.push(performance.now() - begun);
    if (status !== 200) refused.push(status);
  };
  const end = performance.now() + options.seconds * 1_000;
  const tracking = async () => {
    const all: Promise<void>[] = [];
    for (let i = 0; performance.now() < end; i += 1) {
      const click = { affiliate_url: world.partner.landingUrl, program_id: world.programId, session_id: `${run} ${i}` };
      all.push(timed(took, i % 2 === 0 ? sell({ api, owner, world }, `${run} ${i}`) : api.click(click)));
      await delay(everyMs);
    }
    await Promise.all(all);
  };
  const watching = async () => {
    while (performance.now() < end) {
      await timed(overviews, owner.get(`/api/tracking/overview/${world.programId}`));
      await delay(overviewEveryMs);
    }
  };
  await Promise.all([tracking(), watching()]);
  return { took: took.toSorted((a, b) => a - b), overviews: overviews.toSorted((a, b) => a - b), refused };
}

/**
 * The setup has raised the writer's epoch in the database, so the first sale fails and ends the Ledger, and the second
 * one starts a new Ledger.
 */
async function warmUp(program: Program): Promise<void> {
  for (const run of ["ends", "starts"]) await sell(program, run);
  await measure(program);
}

interface Round {
  readonly alone: Window;
  readonly beside: Window;
}

await withTempDir(async (temp) => {
  const { ours } = await buildWorkers(temp.directory);
  const database = await temp.stopAtEnd(startDatabase(join(temp.directory, "database")));
  await migrate({ url: database.url });
  const target = await temp.stopAtEnd(startTarget(ours, database.url));
  const api = createApi(target.url);
  const open = async () => {
    const owner = await signUp(target.url);
    const member = { user: owner, role: "owner" } as const;
    return {
      api,
      owner,
      world: await createWorld(database.url, { members: [member], partners: times(10, () => ({})) }),
    };
  };
  const [full, quiet] = [await open(), await open()];
  await fill(full);
  await warmUp(quiet);

  const flood = await temp.stopAtEnd(Promise.resolve(openFlood(full.owner, full.world, callers)));
  const names = Object.keys(floods);
  const cells = [...names.map((name) => ({ name, kinds: [name] })), { name: "all at once", kinds: names }].map(
    (cell) => ({
      ...cell,
      rounds: [] as Round[],
    }),
  );
  for (let round = 0; round < options.rounds; round += 1) {
    for (const { kinds, rounds } of cells) {
      const alone = await measure(quiet);
      await flood.begin(kinds);
      const beside = await measure(quiet);
      await flood.end();
      rounds.push({ alone, beside });
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");

  const p95 = ({ took }: Window) => percentile(took, 0.95);
  const ratio = ({ alone, beside }: Round) => (p95(beside) ?? Number.POSITIVE_INFINITY) / (p95(alone) ?? 1);
  const figures = cells.map(({ name, rounds }) => ({
    name,
    alone: figureOf(rounds.map(({ alone }) => p95(alone))),
    p95: figureOf(rounds.map(({ beside }) => p95(beside))),
    ratio: figureOf(rounds.map(ratio)),
    worst: figureOf(rounds.map(({ beside }) => beside.took.at(-1))),
    overview: figureOf(rounds.map(({ beside }) => beside.overviews.at(-1))),
    refused: rounds.flatMap(({ alone, beside }) => [...alone.refused, ...beside.refused]),
  }));
  const rows = figures.map((each) => [
    each.name,
    ...[each.alone, each.p95, each.ratio, each.worst, each.overview].map(shown),
    each.refused.length === 0 ? "none" : `${each.refused.length}: ${[...new Set(each.refused)]}`,
  ]);
  const worst = (of: readonly (typeof figures)[number][], figure: "ratio" | "worst" | "overview") =>
    Math.max(...of.map((each) => each[figure]?.median ?? Number.POSITIVE_INFINITY));
  const [alone, together] = [figures.slice(0, -1), figures.slice(-1)];
  const limits = [
    { what: "others' p95 during one kind, times without", is: worst(alone, "ratio"), atMost: 2 },
    { what: "others' slowest call during one kind, ms", is: worst(alone, "worst"), atMost: 500 },
    { what: "a member's slowest Overview during one kind, ms", is: worst(alone, "overview"), atMost: 1_000 },
    { what: "others' slowest call during all kinds at once, ms", is: worst(together, "worst"), atMost: 2_000 },
    { what: "others' calls that were refused", is: figures.flatMap(({ refused }) => refused).length, atMost: 0 },
  ];
  const head = ["during", "p95 without, ms", "p95, ms", "times", "slowest, ms", "slowest Overview, ms", "refused"];
  const markdown = `${machine()}\n\n${table(head, rows)}`;
  await publish({ name: "bounds", markdown, data: { options, figures }, limits }, options.write);
});
