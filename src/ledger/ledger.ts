import { DurableObject } from "cloudflare:workers";
import { Alarm } from "../engine/alarm.ts";
import { type Clock, FencedWriter } from "../engine/fenced-writer.ts";
import { Loop } from "../engine/loop.ts";
import { clickKeysOf, databaseOf, type Env, hashSecretOf, monitorOf, unsignedEventsPerDayOf } from "../env.ts";
import type { Outcome } from "../operations/operation.ts";
import { type AnswerTo, type AnyCall, loadOperation } from "../operations/table.ts";
import { IdleStreams, openDatabase } from "../store/database.ts";
import { KeyUse } from "./key-use.ts";
import type { LedgerFigures, LedgerRpc, SpilledClicks } from "./rpc.ts";
import { SettingsCache } from "./settings-cache.ts";
import { Spill } from "./spill.ts";
import { taskOf } from "./task.ts";
import { UnsignedEvents } from "./unsigned-events.ts";
import { VisitorKeys } from "./visitor-keys.ts";

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

const answered = <Answer>(answer: Answer): Outcome<Answer> => ({
  ok: true,
  answer,
  meta: { programId: undefined, keyRetiresAt: undefined, roundTrips: 0 },
});

export class Ledger extends DurableObject<Env> implements LedgerRpc {
  readonly #loop: Loop;
  readonly #spill: Spill;
  readonly #alarm: Alarm;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const spill = new Spill(ctx.storage.sql);
    this.#spill = spill;
    const writer = new FencedWriter(openDatabase(databaseOf(env), { idleStreams: new IdleStreams() }), clock, {
      machineClock: monitorOf(env)?.clock,
    });
    this.#alarm = new Alarm(ctx.storage, clock, report);
    const visitorKeys = new VisitorKeys({
      sql: ctx.storage.sql,
      clock,
      newKey: randomKey,
      onCreated: (expiresAt) => void this.#alarm.arm(expiresAt),
      report,
    });
    const unsigned = new UnsignedEvents(unsignedEventsPerDayOf(env));
    this.#loop = new Loop({
      writer,
      spill,
      visitorKeys,
      clock,
      alarm: this.#alarm,
      context: {
        settings: new SettingsCache(spill, report),
        keyUse: new KeyUse(report),
        clickKeys: clickKeysOf(env),
        hashSecret: hashSecretOf(env),
        visitorKey: (day) => visitorKeys.of(day),
        countUnsigned: (book, at) => unsigned.count(book, at),
        newId: (table, count) => writer.newId(table, count),
        postingAt: () => writer.postingAt(),
        report,
        onRound: monitorOf(env)?.onRound,
      },
      // Callers get an error that says the object was reset, and reach the next instance.
      abort: (reason) => ctx.abort(reason),
    });
    ctx.blockConcurrencyWhile(() => this.#alarm.start());
  }

  async run<Call extends AnyCall>(call: Call): Promise<Outcome<AnswerTo<Call>>> {
    const task = taskOf(await loadOperation(call), call, clock.now());
    this.#loop.submit(task);
    return task.outcome;
  }

  async listSpilled(after: number): Promise<Outcome<SpilledClicks>> {
    return answered(this.#spill.list(after, maxListed));
  }

  async retrySpilled(): Promise<Outcome<{ readonly retried: number }>> {
    return answered({ retried: this.#loop.retrySpilled() });
  }

  async discardSpilled(ids: readonly number[]): Promise<Outcome<{ readonly discarded: number }>> {
    return answered({ discarded: this.#spill.discard(ids) });
  }

  async figures(): Promise<Outcome<LedgerFigures>> {
    return answered({ ...this.#spill.counts, queued: this.#loop.queued, isClockWrong: this.#loop.isClockWrong });
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(this.#loop);
  }
}
