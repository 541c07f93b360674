import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createApi } from "../harness/client.ts";
import { signUp, type User } from "../harness/session.ts";
import { createWorld, type World } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { startDatabase } from "./database.ts";
import { figureOf, shown, table } from "./figures.ts";
import { readOptions, unlessTried } from "./options.ts";
import { p99Times, pacedSales, percentile, type Seller, sell } from "./paced-sales.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:webhooks: how fast a backlog is delivered, what a receiver that never answers costs others, and what a
// page of a long feed costs.

const backlog = unlessTried(5_000, 50);
const longFeed = unlessTried(1_000_000, 10_000);
const page = 500;
const pagesPerWindow = 20;
const options = readOptions({ only: [], connections: [], rounds: 7, seconds: 5 }, { rounds: 2 });

interface Program extends Seller {
  readonly owner: User;
  readonly world: World;
}

async function startReceiver(listener: RequestListener) {
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop };
}

async function post(owner: User, path: string, body: Record<string, string | number>): Promise<number> {
  const reply = await owner.post<{ data: { id: number } }>(path, body);
  if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.text}`);
  return reply.body.data.id;
}

const webhooksOf = ({ world }: Program): string => `/api/programs/${world.programId}/webhooks`;

/** Stored, each of the newest sale, as if they had just happened. */
async function addEvents({ world }: Program, count: number): Promise<void> {
  const perStatement = 50_000;
  for (let left = count; left > 0; left -= perStatement) {
    await world.write({
      sql: `insert into events (program_id, is_test, seq, at, epoch, batch, type, subject, after)
        select e.program_id, 0, e.seq + n.value, e.at, e.epoch, e.batch, e.type, e.subject, e.after
        from (select * from events where program_id = ?1 and is_test = 0 order by seq desc limit 1) e,
          generate_series(1, ?2) n`,
      args: [world.programId, Math.min(left, perStatement)],
    });
  }
}

/** Events a second, of a backlog that a replay sends again. */
async function deliver(program: Program, webhookId: number, got: { count: number }): Promise<number> {
  const [last] = await program.world.rows(
    "select max(seq) as seq from events where program_id = ?",
    program.world.programId,
  );
  const toSeq = Number(last?.seq);
  const range = { fromSeq: toSeq - backlog + 1, toSeq };
  const replay = () => {
    got.count = 0;
    return program.owner.post(`${webhooksOf(program)}/${webhookId}/replay`, range);
  };
  let sent = performance.now();
  // Its address has yet to prove itself, or the replay before is being settled.
  while ((await replay()).status === 409) {
    await delay(50);
    sent = performance.now();
  }
  while (got.count < backlog) await delay(10);
  return backlog / ((performance.now() - sent) / 1_000);
}

/** Milliseconds a page. */
async function readPages({ api, world: { key } }: Program, after: number): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < pagesPerWindow; i += 1) {
    const sent = performance.now();
    const { status, body } = await api.request<{ events: unknown[] }>(
      "GET",
      `/api/v1/programs/me/events?after=${after}&limit=${page}`,
      { key },
    );
    if (status !== 200 || body.events.length !== page) throw new Error(`${status}: ${body.events?.length} events`);
    took.push(performance.now() - sent);
  }
  return (
    percentile(
      took.toSorted((a, b) => a - b),
      0.5,
    ) ?? 0
  );
}

interface Round {
  /** Events delivered. */
  readonly perSecond: number;
  readonly pageMs: { readonly short: number; readonly long: number };
  /** Of another program's sales, beside these receivers. */
  readonly nothing: readonly number[];
  readonly hanging: readonly number[];
}

function report(rounds: readonly Round[]): Promise<void> {
  const of = (figure: (round: Round) => number | undefined) => figureOf(rounds.map(figure));
  const perSecond = of((each) => each.perSecond);
  const pageRatio = of(({ pageMs }) => pageMs.long / pageMs.short);
  const p99 = (took: readonly number[]) => percentile(took, 0.99);
  const p99Ratio = of((each) => p99Times(each.hanging, each.nothing));
  const rows = [
    ["events delivered a second, of one program", shown(perSecond)],
    [`a page of ${page} events, of ${page} in all, ms`, shown(of(({ pageMs }) => pageMs.short))],
    [`a page of ${page} events, of ${longFeed.toLocaleString("en")}, ms`, shown(of(({ pageMs }) => pageMs.long))],
    ["another program's sale p99 ms", shown(of((each) => p99(each.nothing)))],
    ["the same beside a receiver that hangs", shown(of((each) => p99(each.hanging)))],
  ];
  const limits = [
    { what: "events delivered a second", is: perSecond?.median, atLeast: 500 },
    { what: "a page of a million events, of a short feed's", is: pageRatio?.median, atMost: 1.5 },
    { what: "a sale's p99 beside a receiver that hangs, of alone", is: p99Ratio?.median, atMost: 1.1 },
  ];
  const figures = rounds.map(({ nothing, hanging, ...round }) => ({
    ...round,
    sales: [nothing.length, hanging.length],
  }));
  const markdown = `${machine()}\n\n${table(["", "is"], rows)}`;
  return publish({ name: "webhooks", markdown, data: { options, rounds: figures }, limits }, options.write);
}

await withTempDir(async (temp) => {
  const database = await temp.stopAtEnd(startDatabase(join(temp.directory, "database")));
  await migrate({ url: database.url });
  const { ours } = await buildWorkers(temp.directory);
  const target = await temp.stopAtEnd(startTarget(ours, database.url, { vars: { WEBHOOK_ALLOW: "127.0.0.1/32" } }));
  const owner = await signUp(target.url);
  const open = async (): Promise<Program> => {
    const world = await createWorld(database.url, { members: [{ user: owner, role: "owner" }], partners: [{}] });
    return { api: createApi(target.url), owner, world };
  };
  const [calm, busy, long, short] = [await open(), await open(), await open(), await open()];
  for (const each of [calm, busy, long, short]) for (const run of ["ends", "starts"]) await sell(each, run);
  await addEvents(long, longFeed);
  await addEvents(short, page);
  await addEvents(busy, backlog);

  const got = { count: 0 };
  const taking = await temp.stopAtEnd(
    startReceiver((request, reply) => {
      request.resume();
      got.count += 1;
      reply.writeHead(204).end();
    }),
  );
  const hanging = await temp.stopAtEnd(startReceiver((request) => void request.resume()));
  const rounds: Round[] = [];
  const takingId = await post(owner, webhooksOf(busy), { url: taking.url });
  for (let round = 0; round < options.rounds; round += 1) {
    const perSecond = await deliver(busy, takingId, got);
    const pageMs = { short: await readPages(short, 0), long: await readPages(long, longFeed / 2) };
    const both = async () => {
      const end = performance.now() + options.seconds * 1_000;
      const [took] = await Promise.all([calm, busy].map((each) => pacedSales(each, () => performance.now() > end)));
      return took ?? [];
    };
    const nothing = await both();
    const hangingId = await post(owner, webhooksOf(busy), { url: hanging.url });
    await busy.world.write(`update webhooks set proved_at = 1 where id = ${hangingId}`);
    rounds.push({ perSecond, pageMs, nothing, hanging: await both() });
    await owner.delete(`${webhooksOf(busy)}/${hangingId}`);
    process.stderr.write(".");
  }
  process.stderr.write("\n");

  await report(rounds);
});
