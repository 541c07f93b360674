import { DurableObject } from "cloudflare:workers";
import type { Shard } from "#domain/ids.ts";
import { unavailable } from "#domain/result.ts";
import { home } from "#domain/shard.ts";
import { Alarm } from "#engine/alarm.ts";
import type { Loop } from "#engine/loop.ts";
import { OutageLog } from "#engine/outage-log.ts";
import type { Clock } from "#engine/writer.ts";
import {
  clickKeysOf,
  clickRetentionDaysOf,
  databaseOf,
  type Env,
  hashSecretOf,
  installationOf,
  ledgerOf,
  type Monitor,
  mailHookOf,
  monitorOf,
  shardOfLedger,
  shardsOf,
  unsignedEventsPerDayOf,
  webhookSenderOf,
} from "#env.ts";
import type { Outcome } from "#operations/operation.ts";
import { type AnswerTo, type AnyCall, loadOperation } from "#operations/table.ts";
import { IdleStreams, openDatabase } from "#store/database.ts";
import { FencedWriter } from "./fenced-writer.ts";
import { LongReads } from "./long-reads.ts";
import { openLoop } from "./open-loop.ts";
import type { LedgerFigures, LedgerRpc, LongReadStep, SpilledClick, SpilledClicks } from "./rpc.ts";
import type { Spill } from "./spill.ts";
import type { TaskMaker } from "./task.ts";
import { UnsignedEvents } from "./unsigned-events.ts";

const maxListed = 100;

const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: () => Math.random(),
};

const randomKey = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");

const report = (event: string, error: unknown, operationId?: string): void => {
  console.error(JSON.stringify({ event, operation_id: operationId, error: textOf(error) }));
};

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined ? own : `${own}\ncaused by ${textOf(error.cause)}`;
}

const outageLogs = new Map<Shard, OutageLog>();

function outageLogOf(shard: Shard, monitor: Monitor | undefined): OutageLog {
  const known = outageLogs.get(shard);
  if (known !== undefined) return known;
  const outages = new OutageLog({
    onBegin(error) {
      monitor?.onWritable(shard, false);
      report("ledger.database_lost", error);
    },
    onEnd() {
      monitor?.onWritable(shard, true);
      console.log(JSON.stringify({ level: "info", event: "ledger.database_recovered" }));
    },
  });
  outageLogs.set(shard, outages);
  return outages;
}

const noMeta = { programId: undefined, keyRetiresAt: undefined, roundTrips: 0 };

const answered = <Answer>(answer: Answer): Outcome<Answer> => ({ ok: true, answer, meta: noMeta });

export class Ledger extends DurableObject<Env> implements LedgerRpc {
  readonly #loop: Loop;
  readonly #taskOf: TaskMaker;
  readonly #spill: Spill;
  readonly #alarm: Alarm;
  readonly #longReads = { simulation: new LongReads(), breakdown: new LongReads() };

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const monitor = monitorOf(env);
    const shard = shardOfLedger(env, ctx.id.name);
    const database = openDatabase(databaseOf(env, shard), { idleStreams: new IdleStreams() });
    const expected = { shard, installation: installationOf(env) };
    const unsigned = new UnsignedEvents(unsignedEventsPerDayOf(env));
    this.#alarm = new Alarm(ctx.storage, clock, report);
    const { loop, taskOf, spill } = openLoop({
      writer: new FencedWriter(database, clock, { machineClock: monitor?.clock, expected }),
      sql: ctx.storage.sql,
      clock,
      alarm: this.#alarm,
      outages: outageLogOf(shard, monitor),
      clickKeys: clickKeysOf(env),
      hashSecret: hashSecretOf(env),
      newKey: randomKey,
      clickRetentionDays: clickRetentionDaysOf(env),
      countUnsigned: (book, at) => unsigned.count(book, at),
      report,
      onRound: monitor?.onRound,
      neighbors: {
        own: shard,
        ledgerOf: (other) => ledgerOf(env, other),
        async movedPrograms() {
          if (shardsOf(env).size === 0) return [];
          const { readMovedPrograms } = await import("#store/places.ts");
          return readMovedPrograms(openDatabase(databaseOf(env, home)));
        },
      },
      tendMails: mailHookOf(env) && (async () => (await import("./tend-mails.ts")).tendMails(env, shard, database)),
      webhooks: {
        wake: (programId) => webhookSenderOf(env, shard, programId).wake(shard, programId),
        readLate: async (at) => (await import("#store/webhook-deliveries.ts")).readLateWebhooks(database, at),
      },
      // Callers receive an error that reports the reset. Their retries reach the next instance.
      abort: (reason) => ctx.abort(reason),
    });
    this.#loop = loop;
    this.#taskOf = taskOf;
    this.#spill = spill;
    ctx.blockConcurrencyWhile(() => this.#alarm.start());
  }

  async run<Call extends AnyCall>(call: Call): Promise<Outcome<AnswerTo<Call>>> {
    const task = this.#taskOf(await loadOperation(call), call, clock.now());
    this.#loop.submit(task);
    return task.outcome;
  }

  async listSpilled(after: number): Promise<Outcome<SpilledClicks>> {
    return answered(this.#spill.list(after, maxListed));
  }

  async takeClicks(clicks: readonly SpilledClick[]): Promise<Outcome<undefined>> {
    const kept = clicks.every((click) => this.#spill.keep(click, true) !== undefined);
    // The duty for hand-overs decides what happens to the clicks once the program is on this shard.
    void this.#alarm.arm(clock.now());
    return kept ? answered(undefined) : { ok: false, refusal: unavailable, meta: noMeta };
  }

  async retrySpilled(): Promise<Outcome<{ readonly retried: number }>> {
    const retried = this.#spill.retry();
    this.#loop.runIfDue();
    return answered({ retried });
  }

  async discardSpilled(ids: readonly number[]): Promise<Outcome<{ readonly discarded: number }>> {
    return answered({ discarded: this.#spill.discard(ids) });
  }

  async admitLongRead(step: LongReadStep): Promise<Outcome<boolean>> {
    return answered(this.#longReads[step.kind].admits(step, clock.now()));
  }

  async figures(): Promise<Outcome<LedgerFigures>> {
    return answered({ ...this.#spill.counts, queued: this.#loop.queued, isClockWrong: this.#loop.isClockWrong });
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(this.#loop);
  }
}
