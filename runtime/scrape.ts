import { home } from "#domain/shard.ts";
import { databaseOf, type Env, ledgerOf } from "#env.ts";
import { readDueCommissions } from "#store/commissions.ts";
import { openDatabase } from "#store/database.ts";
import { diskMetrics } from "./disk.ts";
import { expositionOf, gauge, type Metric } from "./exposition.ts";
import { instruments } from "./instruments.ts";

/** By default Prometheus waits 10 seconds. */
const timeoutMs = 3_000;

export interface BuildInfo {
  readonly version: string;
  readonly workerd: string;
  readonly startedAt: number;
}

/** All metrics as text. Leaves out those of the database or the Ledger if it doesn't answer. */
export async function scrape(env: Env, build: BuildInfo): Promise<string> {
  const [ledger, database] = await Promise.all([ledgerMetrics(env), databaseMetrics(env)]);
  return expositionOf([...instruments.metrics, ...ledger, ...database, ...diskMetrics(), ...buildMetrics(build)]);
}

async function ledgerMetrics(env: Env): Promise<readonly Metric[]> {
  const asked = await withinTime(ledgerOf(env, home).figures());
  const up = (value: number) =>
    gauge({ name: "tributary_ledger_up", help: "1 if the Ledger answers, else 0." }, { value });
  if (!asked?.ok) return [up(0)];
  const { queued, waiting, setAside, isClockWrong } = asked.answer;
  return [
    up(1),
    gauge(
      { name: "tributary_clock_wrong", help: "1 while nothing is written because the clock is wrong, else 0." },
      { value: isClockWrong ? 1 : 0 },
    ),
    gauge(
      { name: "tributary_ledger_queued_calls", help: "Calls that wait for a round of the Ledger, by lane." },
      ...Object.entries(queued).map(([lane, value]) => ({ labels: { lane }, value })),
    ),
    gauge(
      { name: "tributary_ledger_spilled_clicks", help: "Clicks in the Ledger's own storage, by state." },
      { labels: { state: "waiting" }, value: waiting },
      { labels: { state: "set_aside" }, value: setAside },
    ),
  ];
}

async function databaseMetrics(env: Env): Promise<readonly Metric[]> {
  const now = Date.now();
  const due = await withinTime(readDueCommissions(openDatabase(databaseOf(env, home), { timeoutMs }), now));
  const up = gauge(
    { name: "tributary_database_up", help: "1 if the database answered this scrape, else 0." },
    { value: due === undefined ? 0 : 1 },
  );
  if (due === undefined) return [up];
  const { commissions, oldestAt = now } = due;
  return [
    up,
    gauge(
      { name: "tributary_commissions_due", help: "Pending commissions whose hold is over." },
      { value: commissions },
    ),
    gauge(
      { name: "tributary_commissions_due_age_seconds", help: "Time since the oldest of these holds ended." },
      { value: (now - oldestAt) / 1_000 },
    ),
  ];
}

const buildMetrics = ({ version, workerd, startedAt }: BuildInfo): readonly Metric[] => [
  gauge(
    { name: "tributary_build_info", help: "The version that runs; always 1." },
    { labels: { version, workerd }, value: 1 },
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
