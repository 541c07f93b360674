import { Agent, request } from "node:http";
import { join } from "node:path";
import { startDatabaseProxy } from "../harness/database-proxy.ts";
import type { ServedFiles } from "../scripts/build/served-files.ts";
import { openClient } from "../scripts/database/client.ts";
import { callsOf, type Kind, tableOf, type Workload } from "./calls.ts";
import { startCopy, startServer } from "./database.ts";
import { type Figure, figureOf } from "./figures.ts";
import { drive } from "./generator.ts";
import { type Options, unlessTried } from "./options.ts";
import { startTarget } from "./service.ts";
import type { TempDir } from "./with-temp-dir.ts";

interface Sent {
  readonly path: string;
  readonly body: Buffer;
  readonly isWrite: boolean;
}

interface Setup {
  readonly temp: TempDir;
  readonly worker: ServedFiles;
  readonly workload: Workload;
  /** The folder of a database. Requests are recorded on one copy of it, and replayed on another. */
  readonly base: string;
}

interface Replayed {
  readonly perSecond: number;
  readonly callsPerCommit: number;
  readonly statements: number;
}

export interface DatabaseLimit {
  readonly perSecond: Figure;
  /** Undefined for a call that writes nothing. */
  readonly callsPerCommit: Figure | undefined;
  readonly statements: Figure | undefined;
}

interface Recorded {
  readonly kind: Kind;
  readonly calls: number;
  readonly sent: readonly Sent[];
}

/**
 * Enough connections to fill every round. Readiness calls bypass the Ledger and its rounds, so fewer connections
 * suffice for them.
 */
const connectionsFor = (kind: Kind) => (kind === "readiness" ? 32 : 256);
const callsAtOnce = unlessTried(1_500, 100);
const readersAtOnce = 4;

/**
 * Measures the rate at which sqld executes the service's requests when all rounds are full. The requests are recorded,
 * then replayed on a copy of the same database. Writes follow each other in order, reads run in parallel to them, and
 * nothing is parsed or decided in between. Needs workerd and sqld, because a service in one process sends its database
 * no requests.
 */
export async function databaseLimits(setup: Setup, options: Options): Promise<ReadonlyMap<Kind, DatabaseLimit>> {
  const recorded = await record(setup, options);
  const database = await startCopy(setup.base, join(setup.temp.directory, "replayed"), startServer);
  const client = openClient({ url: database.url });
  const count = async (table: string) =>
    Number((await client.execute(`select count(*) as n from ${table}`)).rows[0]?.n);
  const replays = new Map<Kind, Replayed[]>();
  try {
    for (const { kind, calls, sent } of recorded) {
      const table = tableOf[kind];
      const before = table && (await count(table));
      const startedAt = performance.now();
      await replay(database.url, sent);
      const perSecond = (calls * 1_000) / (performance.now() - startedAt);
      const commits = sent.flatMap(statementsOfCommit);
      if (table !== undefined && (await count(table)) - Number(before) !== calls) {
        throw new Error(`the database did not take again the ${calls} calls of ${kind} that it took before`);
      }
      const replayed = { perSecond, callsPerCommit: calls / commits.length, statements: mean(commits) };
      if (calls > 1) replays.set(kind, [...(replays.get(kind) ?? []), replayed]);
    }
  } finally {
    await database.stop();
  }
  return new Map(
    [...replays].flatMap(([kind, all]) => {
      const perSecond = figureOf(all.map((each) => each.perSecond));
      const callsPerCommit = figureOf(all.map((each) => each.callsPerCommit));
      const statements = figureOf(all.map((each) => each.statements));
      return perSecond ? [[kind, { perSecond, callsPerCommit, statements }] as const] : [];
    }),
  );
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

interface Pipeline {
  readonly requests: readonly { readonly batch?: { readonly steps: readonly unknown[] } }[];
}

function statementsOfCommit({ body, isWrite }: Sent): readonly number[] {
  if (!isWrite) return [];
  const { requests } = JSON.parse(body.toString()) as Pipeline;
  return requests.flatMap(({ batch }) => (batch === undefined ? [] : [batch.steps.length]));
}

async function record({ temp, worker, workload, base }: Setup, { only, rounds }: Options): Promise<Recorded[]> {
  const database = await startCopy(base, join(temp.directory, "recorded"), startServer);
  let sent: Sent[] = [];
  const proxy = await startDatabaseProxy(database.url, (path, body, isWrite) => sent.push({ path, body, isWrite }));
  const target = await startTarget(worker, proxy.url);
  const calls = callsOf(workload);
  const recorded: Recorded[] = [];
  try {
    for (const kind of only) {
      // The first call fills the Ledger's caches and isn't measured.
      for (const amount of [1, ...Array.from({ length: rounds }, () => callsAtOnce)]) {
        sent = [];
        await drive(target.url, calls[kind], Math.min(connectionsFor(kind), amount), amount);
        recorded.push({ kind, calls: amount, sent });
      }
    }
  } finally {
    await target.stop();
    await proxy.close();
    await database.stop();
  }
  return recorded;
}

async function replay(url: string, sent: readonly Sent[]): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const inTurn = async (queue: Sent[]) => {
    let baton: string | null = null;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      baton = await send(agent, new URL(next.path, url).href, onStream(next.body, baton));
    }
  };
  const writes = sent.filter(({ isWrite }) => isWrite);
  const reads = sent.filter(({ isWrite }) => !isWrite);
  await Promise.all([inTurn(writes), ...Array.from({ length: readersAtOnce }, () => inTurn(reads))]);
  agent.destroy();
}

/** Replaces the baton (the id of a server stream) in a request, because the recorded stream no longer exists. */
const onStream = (body: Buffer, baton: string | null): string =>
  body.toString().replace(/^\{"baton":(null|"[^"]*")/, `{"baton":${JSON.stringify(baton)}`);

/** Returns the baton for the next request. */
function send(agent: Agent, url: string, body: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const outgoing = request(url, { agent, method: "POST", headers }, async (answer) => {
      const text = (await answer.setEncoding("utf8").toArray()).join("");
      if (answer.statusCode !== 200) return reject(new Error(`sqld answered ${answer.statusCode}: ${text}`));
      resolve((JSON.parse(text) as { readonly baton: string | null }).baton);
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}
