import { decryptData } from "#domain/encrypted-data.ts";
import type { ProgramId, Shard } from "#domain/ids.ts";
import { secretContext } from "#domain/webhooks.ts";
import { databaseOf, dataKeysOf, type Env, ledgerOf, webhookNetworkOf } from "#env.ts";
import type { SettleDeliveriesCall } from "#operations/webhooks/settle-deliveries.ts";
import { type Database, IdleStreams, openDatabase } from "#store/database.ts";
import { type ActiveWebhook, readActiveWebhooks } from "#store/webhook-deliveries.ts";
import { AttemptLog } from "./attempt-log.ts";
import { newOperationId } from "./operation-id.ts";
import { Steps } from "./steps.ts";
import { deliverSome } from "./webhook-run.ts";

const retryAfterFaultMs = 30_000;
/** Cloudflare ends an alarm after 15 minutes, so longer work continues in another alarm. */
const maxRunMs = 5 * 60_000;

const clock = { now: () => Date.now(), random: () => Math.random() };

interface Place {
  readonly shard: Shard;
  readonly programId: ProgramId;
}

interface Step {
  readonly webhook: ActiveWebhook;
  readonly lanes: number;
  readonly place: Place;
  readonly database: Database;
}

/** Sends the events of a program to its webhooks. */
export class Sending {
  readonly log: AttemptLog;
  readonly #storage: DurableObjectStorage;
  readonly #env: Env;
  readonly #streams = new IdleStreams();
  #steps: { readonly place: Place; readonly steps: Steps<ActiveWebhook> } | undefined;
  isRunning = false;

  constructor(storage: DurableObjectStorage, env: Env) {
    this.#storage = storage;
    this.#env = env;
    this.log = new AttemptLog(storage.sql);
  }

  /** Makes a running `run` look for new work at once. */
  look(): void {
    this.#steps?.steps.look();
  }

  /**
   * Sends events until none is due, for five minutes at most. Returns when to continue (ms). Undefined if no event
   * waits.
   */
  async run(): Promise<number | undefined> {
    const place = await this.#storage.get<Place>("place");
    if (place === undefined) return undefined;
    this.isRunning = true;
    try {
      return await this.#stepsAt(place).run(clock.now() + maxRunMs);
    } catch (error) {
      report(place, error);
      return clock.now() + retryAfterFaultMs;
    } finally {
      this.isRunning = false;
    }
  }

  /** Reuses the steps of the previous run, because some may still be in progress. */
  #stepsAt(place: Place): Steps<ActiveWebhook> {
    if (this.#steps?.place.shard === place.shard) return this.#steps.steps;
    const database = openDatabase(databaseOf(this.#env, place.shard), { idleStreams: this.#streams });
    const steps = new Steps<ActiveWebhook>({
      clock,
      read: () => readActiveWebhooks(database, place.programId, clock.now()),
      step: (webhook, lanes) => this.#step({ webhook, lanes, place, database }),
      onFault: (webhook, error) => report(place, error, webhook),
    });
    this.#steps = { place, steps };
    return steps;
  }

  async #step({ webhook, lanes, place, database }: Step): Promise<readonly Promise<void>[]> {
    const { id: webhookId, programId } = webhook;
    const ledger = ledgerOf(this.#env, place.shard);
    return deliverSome(webhook, {
      database,
      clock,
      lanes,
      fetcher: webhookNetworkOf(this.#env),
      secrets: await this.#secretsOf(webhook),
      settle: async (settled, progress) => {
        const operationId = newOperationId();
        const call = { operationId, at: clock.now(), programId, webhookId, settled, progress };
        const outcome = await ledger.run<SettleDeliveriesCall>({ kind: "settle-deliveries", ...call });
        if (!outcome.ok) throw new Error(`the Ledger settles no deliveries: ${outcome.refusal.code}`);
      },
      onAttempt: (sent, at, made) => this.log.add({ webhookId, ...sent }, at, made),
    });
  }

  async #secretsOf({ programId, secrets }: ActiveWebhook): Promise<readonly string[]> {
    const ring = dataKeysOf(this.#env);
    const opened = await Promise.all(
      secrets.map(({ sealId, sealed }) => decryptData(ring, secretContext({ programId, sealId }), sealed)),
    );
    const found = opened.filter((secret) => secret !== undefined);
    if (found.length === 0) throw new Error("no data key opens a webhook's secret");
    return found;
  }
}

function report({ programId }: Place, error: unknown, webhook?: ActiveWebhook): void {
  const of = { program_id: programId, ...(webhook && { webhook_id: webhook.id }) };
  console.error(JSON.stringify({ event: "webhooks.failed", ...of, error: String(error) }));
}
