import type { Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { databaseOf, type Env, ledgerOf, shardsOf } from "#env.ts";
import type { LedgerFigures } from "#ledger/rpc.ts";
import { openDatabase } from "#store/database.ts";
import { readDueCommissions } from "#store/due-commissions.ts";
import { readMailFigures } from "#store/mails.ts";
import { readWebhookFigures } from "#store/webhook-deliveries.ts";
import { diskMetrics } from "./disk.ts";
import { expositionOf, gauge, type Labels, type Metric, type Sample, summed } from "./exposition.ts";
import { instruments } from "./instruments.ts";
import type { LocalRequest } from "./node/local-fetch.ts";

/** The time limit for the responses. By default, Prometheus waits 10 seconds. */
const timeoutMs = 3_000;

export interface BuildInfo {
  readonly version: string;
  /** The name and version of the runtime. */
  readonly runtime: string;
  readonly startedAt: number;
}

/** The desk process, if the service has two processes. */
export interface Desk {
  fetch(url: string, request: LocalRequest): Promise<Response>;
}

export interface ScrapeEnv {
  readonly REPORT_TOKEN?: string;
  readonly DESK?: Desk;
}

/** The path at which the ledger process reads the desk process's metrics. */
export const instrumentsPath = "/instruments";
export const deskTimeoutMs = 1_000;

/** Returns all metrics as text. Omits those of a database, a Ledger or a process that doesn't respond. */
export async function scrape(env: Env & ScrapeEnv, build: BuildInfo): Promise<string> {
  const shards = [home, ...shardsOf(env).keys()];
  const [ledgers, databases, desk] = await Promise.all([
    Promise.all(shards.map((shard) => askLedger(env, shard))),
    Promise.all(shards.map((shard) => askDatabase(env, shard))),
    askDesk(env),
  ]);
  return expositionOf([
    ...summed(instruments.metrics, desk ?? []),
    ...(env.DESK === undefined ? [] : [deskMetric(desk !== undefined)]),
    ...ledgerMetrics(ledgers),
    ...databaseMetrics(databases),
    ...diskMetrics(),
    ...buildMetrics(build),
  ]);
}

async function askDesk({ DESK: desk, REPORT_TOKEN: token }: ScrapeEnv): Promise<readonly Metric[] | undefined> {
  const headers = { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(deskTimeoutMs);
  const answer = await desk?.fetch(`http://localhost${instrumentsPath}`, { headers, signal }).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as Metric[]) : undefined;
}

const deskMetric = (isUp: boolean): Metric =>
  gauge(
    { name: "tributary_desk_up", help: "1 if the process for the dashboard and the lists answers." },
    { value: isUp ? 1 : 0 },
  );

/** A shard's response, or undefined if there was none. `labels` contain the shard if there are several. */
interface Asked<Answer> {
  readonly labels: Labels;
  readonly answer: Answer | undefined;
}

const labelsOf = (env: Env, shard: Shard): Labels => (shardsOf(env).size === 0 ? {} : { shard: String(shard) });

async function askLedger(env: Env, shard: Shard): Promise<Asked<LedgerFigures>> {
  const asked = await withinTime(ledgerOf(env, shard).figures());
  return { labels: labelsOf(env, shard), answer: asked?.ok ? asked.answer : undefined };
}

async function askDatabase(env: Env, shard: Shard): Promise<Asked<Due>> {
  const at = Date.now();
  const database = openDatabase(databaseOf(env, shard), { timeoutMs });
  const [due, mails, webhooks] = await Promise.all([
    withinTime(readDueCommissions(database, at)),
    withinTime(readMailFigures(database)),
    withinTime(readWebhookFigures(database)),
  ]);
  const answer = due &&
    mails &&
    webhooks && {
      commissions: due.commissions,
      ageMs: at - (due.oldestAt ?? at),
      mails: { ...mails, ageMs: at - (mails.oldestAt ?? at) },
      webhooks: { ...webhooks, ageMs: at - (webhooks.oldestAt ?? at) },
    };
  return { labels: labelsOf(env, shard), answer };
}

interface Due {
  readonly commissions: number;
  readonly ageMs: number;
  readonly mails: { readonly waiting: number; readonly failed: number; readonly ageMs: number };
  readonly webhooks: {
    readonly waiting: number;
    readonly failed: number;
    readonly failing: number;
    readonly ageMs: number;
  };
}

const isUp = <Answer>({ labels, answer }: Asked<Answer>): Sample => ({ labels, value: answer === undefined ? 0 : 1 });

/** The samples of every shard that has responded. */
const samplesOf = <Answer>(
  asked: readonly Asked<Answer>[],
  samples: (answer: Answer) => readonly Sample[],
): readonly Sample[] =>
  asked.flatMap(({ labels, answer }) =>
    (answer === undefined ? [] : samples(answer)).map((each) => ({ ...each, labels: { ...labels, ...each.labels } })),
  );

const ledgerMetrics = (asked: readonly Asked<LedgerFigures>[]): readonly Metric[] => [
  gauge({ name: "tributary_ledger_up", help: "1 if the Ledger answers, else 0." }, ...asked.map(isUp)),
  gauge(
    { name: "tributary_clock_wrong", help: "1 while nothing is written because the clock is wrong, else 0." },
    ...samplesOf(asked, ({ isClockWrong }) => [{ value: isClockWrong ? 1 : 0 }]),
  ),
  gauge(
    { name: "tributary_ledger_queued_calls", help: "Calls that wait for a round of the Ledger, by lane." },
    ...samplesOf(asked, ({ queued }) => Object.entries(queued).map(([lane, value]) => ({ labels: { lane }, value }))),
  ),
  gauge(
    { name: "tributary_ledger_spilled_clicks", help: "Clicks in the Ledger's own storage, by state." },
    ...samplesOf(asked, ({ waiting, setAside }) => [
      { labels: { state: "waiting" }, value: waiting },
      { labels: { state: "set_aside" }, value: setAside },
    ]),
  ),
];

const databaseMetrics = (asked: readonly Asked<Due>[]): readonly Metric[] => [
  gauge({ name: "tributary_database_up", help: "1 if the database answered this scrape, else 0." }, ...asked.map(isUp)),
  gauge(
    { name: "tributary_commissions_due", help: "Commissions whose hold, or review, is over." },
    ...samplesOf(asked, ({ commissions }) => [{ value: commissions }]),
  ),
  gauge(
    { name: "tributary_commissions_due_age_seconds", help: "Time since the oldest of these ended." },
    ...samplesOf(asked, ({ ageMs }) => [{ value: ageMs / 1_000 }]),
  ),
  gauge(
    { name: "tributary_mails", help: "Mails to send, and those of 30 days that nobody took, by state." },
    ...samplesOf(asked, ({ mails }) => [
      { labels: { state: "waiting" }, value: mails.waiting },
      { labels: { state: "failed" }, value: mails.failed },
    ]),
  ),
  gauge(
    { name: "tributary_mails_waiting_age_seconds", help: "Time since the oldest waiting mail was written." },
    ...samplesOf(asked, ({ mails }) => [{ value: mails.ageMs / 1_000 }]),
  ),
  gauge(
    { name: "tributary_webhook_deliveries", help: "Events to deliver again, and those of days that were given up." },
    ...samplesOf(asked, ({ webhooks }) => [
      { labels: { state: "waiting" }, value: webhooks.waiting },
      { labels: { state: "failed" }, value: webhooks.failed },
    ]),
  ),
  gauge(
    { name: "tributary_webhooks_failing", help: "Webhooks whose last delivery failed." },
    ...samplesOf(asked, ({ webhooks }) => [{ value: webhooks.failing }]),
  ),
  gauge(
    {
      name: "tributary_webhooks_waiting_age_seconds",
      help: "Time since the oldest event that waits for its first delivery.",
    },
    ...samplesOf(asked, ({ webhooks }) => [{ value: webhooks.ageMs / 1_000 }]),
  ),
];

const buildMetrics = ({ version, runtime, startedAt }: BuildInfo): readonly Metric[] => [
  gauge(
    { name: "tributary_build_info", help: "The version that runs; always 1." },
    { labels: { version, runtime }, value: 1 },
  ),
  gauge(
    { name: "process_start_time_seconds", help: "Start of the process, in Unix time." },
    { value: startedAt / 1_000 },
  ),
];

async function withinTime<T>(asked: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  return Promise.race([asked.catch(() => undefined), timeout]).finally(() => clearTimeout(timer));
}
