import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Api, createApi } from "../harness/client.ts";
import { signUp, type User } from "../harness/session.ts";
import { createWorld, type World } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { startDatabase } from "./database.ts";
import { figureOf, shown, table } from "./figures.ts";
import { readOptions, unlessTried } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:bounds: how long a sale takes while another program, which has stored as much as it can, is busy.

const botClicks = unlessTried(100_000, 1_000);
const versions = 999;
const refundsBefore = unlessTried(600, 100);
const options = readOptions({ only: [], connections: [], rounds: 1, seconds: 1 }, { rounds: 1 });

interface Full {
  readonly api: Api;
  readonly owner: User;
  readonly world: World;
}
type Send = () => Promise<unknown>;

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const numbers = "with recursive n(v) as (select 1 union all select v + 1 from n where v < ?)";

const clicked = ({ api, world: { programId, partner } }: Full, more: object = {}) =>
  api.click({ affiliate_url: partner.landingUrl, program_id: programId, session_id: "a bot's", ...more });
const sold = ({ api, world }: Pick<Full, "api" | "world">, transaction_id: string) =>
  api.sale({ transaction_id, customer_key: transaction_id, amount_cents: 1_000_000 }, { key: world.key });
const refunded = ({ api, world }: Full, refund_id: string) =>
  api.refund({ transaction_id: "refunded", refund_id, refund_amount_cents: 1 }, { key: world.key });

async function copy({ world }: Full, name: string, count: number, changes: Readonly<Record<string, string>>) {
  const columns = (await world.rows(`select name from pragma_table_info('${name}')`)).map((row) => String(row.name));
  const values = columns.map((column) => changes[column] ?? column);
  await world.write({
    sql: `insert into ${name} (${columns}) ${numbers} select ${values} from n,
      (select * from ${name} where program_id = ? limit 1) order by v`,
    args: [count, world.programId],
  });
}

async function fill(full: Full): Promise<void> {
  await clicked(full, { user_agent: "Googlebot" });
  await copy(full, "clicks", botClicks, { id: "id + v", click_id: "'copy' || (id + v)" });
  await copy(full, "commission_policies", versions, {
    id: "id + v",
    version: "1 + v",
    effective_from: "effective_from + v",
  });
  await sold(full, "refunded");
  for (let lot = 0; lot < refundsBefore; lot += 100) {
    await Promise.all(times(100, (i) => refunded(full, `before ${lot + i}`)));
  }
  await full.world.change();
}

const loads: Readonly<Record<string, (full: Full, run: string) => readonly Send[]>> = {
  nothing: () => [],
  "1,000 clicks of a visitor with 100,000 bot clicks": (full) => times(1_000, () => () => clicked(full)),
  "300 sales by a policy of 1,000 versions": (full, run) => times(300, (i) => () => sold(full, `${run} ${i}`)),
  "300 refunds of a sale that has 600": (full, run) => times(300, (i) => () => refunded(full, `${run} ${i}`)),
  "100 lists of 1,000 versions": ({ owner, world }) =>
    times(100, () => () => owner.get(`/api/programs/${world.programId}/commission-policy`)),
};

/** Returns what each of the other program's sales took (ms), and how many were refused. */
async function beside(sends: readonly Send[], quiet: Pick<Full, "api" | "world">, run: string) {
  const busy = Promise.all(sends.map((send) => send()));
  const took: number[] = [];
  let refused = 0;
  await Promise.all(
    times(5, async (caller) => {
      for (let i = 0; i < 20; i += 1) {
        const sent = performance.now();
        const { status } = await sold(quiet, `${run} ${caller} ${i}`);
        took.push(performance.now() - sent);
        if (status !== 200) refused += 1;
        await delay(20);
      }
    }),
  );
  await busy;
  return { took: took.toSorted((a, b) => a - b), refused };
}

await withTempDir(async (temp) => {
  const { ours } = await buildWorkers(temp.directory);
  const database = await temp.stopAtEnd(startDatabase(join(temp.directory, "database")));
  await migrate({ url: database.url });
  const target = await temp.stopAtEnd(startTarget(ours, database.url));
  const owner = await signUp(target.url);
  const api = createApi(target.url);
  const open = async () => ({
    ...{ api, owner },
    world: await createWorld(database.url, { members: [{ user: owner, role: "owner" }] }),
  });
  const [full, quiet] = [await open(), await open()];
  await fill(full);
  // The first call finds another writer.
  for (const run of ["ends", "starts"]) await sold(quiet, run);

  const cells = Object.entries(loads).map(([load, make]) => ({
    load,
    make,
    rounds: [] as Awaited<ReturnType<typeof beside>>[],
  }));
  for (let round = 0; round < options.rounds; round += 1) {
    for (const { make, rounds } of cells) {
      const run = randomBytes(4).toString("hex");
      rounds.push(await beside(make(full, run), quiet, run));
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");

  const slowest = ({ rounds }: (typeof cells)[number]) => figureOf(rounds.map(({ took }) => took.at(-1)));
  const rows = cells.map((cell) => [
    cell.load,
    shown(figureOf(cell.rounds.map(({ took }) => took[Math.floor(took.length / 2)]))),
    shown(slowest(cell)),
    shown(figureOf(cell.rounds.map(({ refused }) => refused))),
  ]);
  const limits = [
    {
      what: "another program's slowest sale beside one that is full, ms",
      is: Math.max(...cells.map((cell) => slowest(cell)?.median ?? Number.POSITIVE_INFINITY)),
      atMost: 1_000,
    },
  ];
  const markdown = `${machine()}\n\n${table(["beside", "sale p50 ms", "slowest ms", "refused"], rows)}`;
  await publish(
    { name: "bounds", markdown, data: { options, cells: cells.map(({ load, rounds }) => ({ load, rounds })) }, limits },
    options.write,
  );
});
