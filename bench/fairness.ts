import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { mintClickId } from "#domain/click-id.ts";
import { type Api, createApi, type Json } from "../harness/client.ts";
import { testClickKeys } from "../harness/service.ts";
import { signUp, type User } from "../harness/session.ts";
import { createWorld, type World } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { startDatabase, startProxy, startServer } from "./database.ts";
import { figureOf, shown, table } from "./figures.ts";
import { readOptions } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget, type Workers } from "./service.ts";
import { type TempDir, withTempDir } from "./with-temp-dir.ts";

// npm run bench:fairness: how long a program waits while another one sends a burst. 20 callers of a calm program send
// five sales each, of different customers, while a busy program's calls wait. Far away on workerd and sqld alone: a
// database file is not far from its process.

const delays = [0, 20];
const [callers, salesEach] = [20, 5];
const aheadMs = 50;
const options = readOptions({ only: [], connections: [], rounds: 3, seconds: 1 }, { rounds: 1 });

interface Busy {
  readonly api: Api;
  readonly owner: User;
  readonly world: World;
  readonly run: string;
}
type Send = () => Promise<number>;

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

async function post(api: Api, what: string, body: Json, key?: string) {
  const reply = await api.request("POST", `/api/v1/track/${what}`, { key, body, checked: false });
  return { status: reply.status, body: reply.body as { readonly commission_id?: number } };
}
const sale = ({ api, world }: Pick<Busy, "api" | "world">, transaction_id: string, body: Record<string, Json>) =>
  post(api, "sale", { transaction_id, amount_cents: 1_000_000, ...body }, world.key);

function clickOf({ programId, partner: { linkId } }: World): string {
  const token = { programId, isTest: false, linkId, at: Date.now() - 60_000 };
  return mintClickId(testClickKeys, token, randomBytes(8).toString("hex"));
}

const loads: Readonly<Record<string, (busy: Busy) => Promise<readonly Send[]>>> = {
  nothing: async () => [],

  "300 sales of one customer": async (busy) =>
    times(300, (i) => async () => (await sale(busy, `${busy.run}-${i}`, { customer_key: `guest-${busy.run}` })).status),

  "100 partial refunds of one sale": async (busy) => {
    const transaction_id = `sold-${busy.run}`;
    await sale(busy, transaction_id, { customer_key: busy.run, click_id: clickOf(busy.world) });
    const refund = { transaction_id, refund_amount_cents: 100 };
    return times(100, () => async () => (await post(busy.api, "refund", refund, busy.world.key)).status);
  },

  "200 approvals": async (busy) => {
    const { owner, world, run } = busy;
    const sold = await Promise.all(
      times(200, (i) => sale(busy, `${run}-${i}`, { customer_key: `${run}-${i}`, click_id: clickOf(world) })),
    );
    return sold.map(({ body }) => async () => {
      const path = `/api/programs/${world.programId}/commissions/${body.commission_id}/approve`;
      return (await owner.post(path, {})).status;
    });
  },

  "1,000 clicks": async ({ api, world: { programId, partner } }) => {
    const click = { affiliate_url: partner.landingUrl, program_id: programId };
    return times(1_000, () => async () => (await post(api, "click", click)).status);
  },
};

type Statuses = Readonly<Record<string, number>>;
const countOf = (statuses: readonly number[]): Statuses =>
  Object.fromEntries([...new Set(statuses)].map((each) => [each, statuses.filter((other) => other === each).length]));
const refusedOf = (statuses: Statuses): number =>
  Object.entries(statuses).reduce((sum, [status, count]) => sum + (status === "200" ? 0 : count), 0);

interface Round {
  readonly calm: readonly number[];
  readonly busyMs: number;
  readonly statuses: { readonly calm: Statuses; readonly busy: Statuses };
}

async function runBeside(sends: readonly Send[], calm: Pick<Busy, "api" | "world">, run: string): Promise<Round> {
  const start = performance.now();
  const busy = Promise.all(sends.map((send) => send())).then((statuses) => ({
    busyMs: performance.now() - start,
    statuses: countOf(statuses),
  }));
  await delay(aheadMs);
  const took: number[] = [];
  const statuses: number[] = [];
  await Promise.all(
    times(callers, async (caller) => {
      for (let i = 0; i < salesEach; i += 1) {
        const customer = `calm-${run}-${caller}-${i}`;
        const sent = performance.now();
        const { status } = await sale(calm, customer, { customer_key: customer });
        took.push(performance.now() - sent);
        statuses.push(status);
      }
    }),
  );
  const { busyMs, statuses: ofBusy } = await busy;
  return { calm: took.toSorted((a, b) => a - b), busyMs, statuses: { calm: countOf(statuses), busy: ofBusy } };
}

/** Two programs of a service whose database is this far away. */
async function openAt(ms: number, temp: TempDir, { ours }: Workers) {
  const directory = join(temp.directory, `database-${ms}`);
  const database = await temp.stopAtEnd(ms === 0 ? startDatabase(directory) : startServer(directory));
  await migrate({ url: database.url });
  const proxy = ms === 0 ? undefined : await startProxy(temp, database);
  const target = await temp.stopAtEnd(startTarget(ours, proxy?.url ?? database.url));
  const owner = await signUp(target.url);
  const api = createApi(target.url);
  const open = async () => ({
    api,
    world: await createWorld(database.url, { members: [{ user: owner, role: "owner" }] }),
  });
  const [busy, calm] = [await open(), await open()];
  for (const each of [busy, calm]) await sale(each, "warm", { customer_key: "warm" });
  proxy?.inject({ kind: "delay", ms });
  return { ms, owner, busy, calm };
}

await withTempDir(async (temp) => {
  const workers = await buildWorkers(temp.directory);
  const opened: Awaited<ReturnType<typeof openAt>>[] = [];
  for (const ms of delays) opened.push(await openAt(ms, temp, workers));
  const cells = opened.flatMap((at) => Object.keys(loads).map((load) => ({ ...at, load, rounds: [] as Round[] })));
  for (let round = 0; round < options.rounds; round += 1) {
    for (const { load, owner, busy, calm, rounds } of cells) {
      const run = randomBytes(4).toString("hex");
      const sends = (await loads[load]?.({ ...busy, owner, run })) ?? [];
      rounds.push(await runBeside(sends, calm, run));
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");

  const slowest = ({ rounds }: (typeof cells)[number]) => figureOf(rounds.map((round) => round.calm.at(-1)));
  const rows = cells.map((cell) => {
    const of = (value: (round: Round) => number | undefined) => shown(figureOf(cell.rounds.map(value)));
    return [
      cell.load,
      `${cell.ms} ms`,
      of(({ calm: took }) => took[Math.floor(took.length / 2)]),
      shown(slowest(cell)),
      of(({ statuses }) => refusedOf(statuses.calm)),
      cell.load === "nothing" ? "-" : of(({ busyMs }) => busyMs),
      of(({ statuses }) => refusedOf(statuses.busy)),
    ];
  });
  const head = ["beside", "distance", "sale p50 ms", "slowest ms", "refused", "the others took ms", "of them refused"];
  const all = cells.flatMap((cell) => cell.rounds);
  const limits = [
    {
      what: "a calm program's slowest sale beside a busy one, ms",
      is: Math.max(...cells.map((cell) => slowest(cell)?.median ?? Number.POSITIVE_INFINITY)),
      atMost: 1_500,
    },
    {
      what: "calls refused, of either program",
      is: all.reduce((sum, { statuses }) => sum + refusedOf(statuses.calm) + refusedOf(statuses.busy), 0),
      atMost: 0,
    },
  ];
  const figures = cells.map(({ ms, load, rounds }) => ({ ms, load, rounds }));
  const markdown = `${machine()}\n\n${table(head, rows)}`;
  await publish({ name: "fairness", markdown, data: { options, cells: figures }, limits }, options.write);
});
