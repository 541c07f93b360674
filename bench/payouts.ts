import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "#store/database.ts";
import { createApi } from "../harness/client.ts";
import { testClickKeys } from "../harness/service.ts";
import { signUp, type User } from "../harness/session.ts";
import { addMember, type World } from "../harness/world.ts";
import { openStore } from "../scripts/database/client.ts";
import { loadBooks } from "./books.ts";
import { openWorldOf, prepare, startCopy } from "./database.ts";
import { type Limit, table } from "./figures.ts";
import { readOptions, unlessTried } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { settlePayout } from "./settled-payout.ts";
import { type TempDir, withTempDir } from "./with-temp-dir.ts";

// npm run bench:payouts: how long sales take while a payout of 100,000 commissions in 1,000 lines is created, finalized
// and paid, and one of its lines fails; with --large, a payout of 1,000,000 commissions in 10,000 lines. Sales are sent
// at a fixed rate, so that a pause of the service delays each sale sent during it. With --settled, see
// settled-payout.ts.

const isSettled = process.argv.includes("--settled");
const isLarge = process.argv.includes("--large");
const options = readOptions(
  { only: [], connections: [], rounds: 5, seconds: 8 },
  { rounds: 2 },
  { modes: ["settled", "large"] },
);
const { partners, commissionsAtLeast, maxMs } = isLarge
  ? { partners: 10_000, commissionsAtLeast: 1_000_000, maxMs: 1_500 }
  : { partners: unlessTried(1_000, 10), commissionsAtLeast: unlessTried(100_000, 100), maxMs: 250 };
/** The number of sales. They are spread over 90 days, and those of the last 15 days are still on hold. */
const sales = commissionsAtLeast * 1.2 + 10 * partners;
const perSecond = 20;
const idleSeconds = unlessTried(10, 1);
const warmUp = unlessTried(300, 3);

interface Call {
  readonly ms: number;
  readonly isDone: boolean;
}

interface Phase {
  readonly name: string;
  readonly seconds: number;
  readonly calls: readonly Call[];
}

class Sales {
  readonly #send: (transactionId: string) => Promise<boolean>;
  #sent = 0;

  constructor(url: string, { key }: World) {
    const api = createApi(url);
    this.#send = async (transactionId) => {
      const body = { transaction_id: transactionId, amount_cents: 4_900, customer_key: `buyer of ${transactionId}` };
      const { status } = await api.sale(body, { key });
      return status === 200;
    };
  }

  /** Sends a call. Its duration counts from the instant at which it was due. */
  async #call(dueAt: number): Promise<Call> {
    this.#sent += 1;
    const isDone = await this.#send(`live-${this.#sent}`).catch(() => false);
    return { ms: performance.now() - dueAt, isDone };
  }

  async warmUp(): Promise<void> {
    for (let i = 0; i < warmUp; i += 1) await this.#call(performance.now());
  }

  async during(name: string, work: () => Promise<unknown>): Promise<Phase> {
    const startedAt = performance.now();
    let isOver = false;
    const calls: Promise<Call>[] = [];
    const sending = (async () => {
      for (let i = 0; !isOver; i += 1) {
        const dueAt = startedAt + (i * 1_000) / perSecond;
        await delay(Math.max(0, dueAt - performance.now()));
        calls.push(this.#call(dueAt));
      }
    })();
    await work();
    const seconds = (performance.now() - startedAt) / 1_000;
    isOver = true;
    await sending;
    return { name, seconds, calls: await Promise.all(calls) };
  }
}

class Payout {
  readonly #user: User;
  readonly #programId: number;
  readonly #database: Database;
  #id = 0;

  constructor(user: User, { programId }: World, database: Database) {
    this.#user = user;
    this.#programId = programId;
    this.#database = database;
  }

  async create(): Promise<void> {
    const { data } = await this.#post("payouts", { currency: "EUR" });
    this.#id = data.id;
  }

  async change(what: string, body: Record<string, string> = {}): Promise<void> {
    await this.#post(`payouts/${this.#id}/${what}`, body);
  }

  async commissionsPaid(): Promise<number> {
    const sql = `select sum(commissions) from payout_lines
      where payout_id = (select id from payouts where id = ? and status = 'paid')`;
    const [rows] = await this.#database.read([{ sql, args: [this.#id] }]);
    return Number(rows?.[0]?.[0]);
  }

  async #post(path: string, body: Record<string, string>): Promise<{ readonly data: { readonly id: number } }> {
    const reply = await this.#user.post<{ data: { id: number } }>(`/api/programs/${this.#programId}/${path}`, body);
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  }
}

const sorted = ({ calls }: Phase) => calls.map(({ ms }) => ms).sort((a, b) => a - b);
const at = (times: readonly number[], share: number) =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;

async function payPayout(temp: TempDir): Promise<void> {
  const folder = (name: string) => join(temp.directory, name);
  const world = await prepare(folder("base"), async (empty) => {
    const opened = await openWorldOf(empty, partners);
    await loadBooks(opened, testClickKeys, sales);
    return opened;
  });
  const database = await temp.stopAtEnd(startCopy(folder("base"), folder("database")));
  const { ours } = await buildWorkers(temp.directory);
  const service = await temp.stopAtEnd(startTarget(ours, database.url));
  const user = await signUp(service.url);
  await addMember(database.url, world.workspaceId, { user, role: "owner" });

  const live = new Sales(service.url, world);
  const payout = new Payout(user, world, openStore({ url: database.url }));
  await live.warmUp();
  const phases = [
    await live.during("no payout", () => delay(idleSeconds * 1_000)),
    await live.during("created", () => payout.create()),
    await live.during("finalized", () => payout.change("finalize")),
    await live.during("paid", () => payout.change("confirm")),
    await live.during("a line fails", () =>
      payout.change(`lines/${world.partner.id}/fail`, { reason: "account closed" }),
    ),
  ];
  const commissions = await payout.commissionsPaid();
  if (!(commissions >= commissionsAtLeast)) throw new Error(`${commissions} commissions were paid`);

  const [idle] = phases.map((phase) => at(sorted(phase), 0.5));
  const rows = phases.map((phase) => {
    const times = sorted(phase);
    const figures = [at(times, 0.5), at(times, 0.99), at(times, 1), at(times, 0.5) / (idle ?? Number.NaN)];
    const refused = phase.calls.filter(({ isDone }) => !isDone).length;
    return [
      phase.name,
      phase.seconds.toFixed(1),
      String(times.length),
      ...figures.map((figure) => figure.toFixed(1)),
      String(refused),
    ];
  });
  const limits: Limit[] = [
    { what: "slowest sale during a payout, ms", is: Math.max(...phases.flatMap(sorted)), atMost: maxMs },
    {
      what: "sales refused",
      is: phases.flatMap(({ calls }) => calls).filter(({ isDone }) => !isDone).length,
      atMost: 0,
    },
  ];
  const head = ["payout", "seconds", "sales", "p50 ms", "p99 ms", "slowest ms", "p50, of no payout's", "refused"];
  const about = `${commissions.toLocaleString("en")} commissions of ${partners.toLocaleString("en")} partners in one payout, ${perSecond} sales a second.`;
  const markdown = `${machine()}\n\n${about}\n\n${table(head, rows)}`;
  await publish({ name: isLarge ? "payouts-large" : "payouts", markdown, data: { phases }, limits }, options.write);
}

await withTempDir(isSettled ? (temp) => settlePayout(temp, options) : payPayout);
