import { earliest } from "#domain/calendar.ts";
import { decryptData } from "#domain/encrypted-data.ts";
import type { ProgramId, Shard, WebhookId } from "#domain/ids.ts";
import { maxOpenRetries, secretContext } from "#domain/webhooks.ts";
import { databaseOf, dataKeysOf, type Env, ledgerOf, webhookNetworkOf } from "#env.ts";
import type { SettleDeliveriesCall } from "#operations/webhooks/settle-deliveries.ts";
import { type Database, IdleStreams, openDatabase } from "#store/database.ts";
import { type ActiveWebhook, readActiveWebhooks } from "#store/webhook-deliveries.ts";
import { AttemptLog } from "./attempt-log.ts";
import { newOperationId } from "./operation-id.ts";
import { deliverSome } from "./webhook-run.ts";

const retryAfterFaultMs = 30_000;
/** Cloudflare ends an alarm after 15 minutes: what goes on longer goes on in another. */
const maxRunMs = 5 * 60_000;

const clock = { now: () => Date.now(), random: () => Math.random() };

interface Place {
  readonly shard: Shard;
  readonly programId: ProgramId;
}

/** All webhooks of a program at once, each in steps of its own: one that hangs holds up no other. */
export class Sending {
  readonly log: AttemptLog;
  readonly #storage: DurableObjectStorage;
  readonly #env: Env;
  readonly #active = new Map<WebhookId, Promise<void>>();
  readonly #streams = new IdleStreams();
  #look = Promise.withResolvers<void>();
  /** Since the last look began. */
  #isAsked = false;
  isRunning = false;

  constructor(storage: DurableObjectStorage, env: Env) {
    this.#storage = storage;
    this.#env = env;
    this.log = new AttemptLog(storage.sql);
  }

  /** There may be more to send. */
  look(): void {
    this.#isAsked = true;
    this.#look.resolve();
  }

  /** Until nothing is due. Returns when something is (ms), if ever. Never rejects. */
  async run(): Promise<number | undefined> {
    const place = await this.#storage.get<Place>("place");
    if (place === undefined) return undefined;
    this.isRunning = true;
    try {
      return await this.#runAt(place);
    } catch (error) {
      console.error(JSON.stringify({ event: "webhooks.failed", program_id: place.programId, error: String(error) }));
      return clock.now() + retryAfterFaultMs;
    } finally {
      this.isRunning = false;
    }
  }

  async #runAt(place: Place): Promise<number | undefined> {
    const database = openDatabase(databaseOf(this.#env, place.shard), { idleStreams: this.#streams });
    const end = clock.now() + maxRunMs;
    while (clock.now() < end) {
      this.#look = Promise.withResolvers();
      this.#isAsked = false;
      const webhooks = await readActiveWebhooks(database, place.programId, clock.now());
      for (const webhook of webhooks) if (!this.#active.has(webhook.id)) this.#begin(webhook, place, database);
      if (this.#isAsked) continue;
      if (this.#active.size === 0) return earliest(...webhooks.map(({ dueAt }) => dueAt ?? undefined));
      await Promise.race([this.#look.promise, ...this.#active.values()]);
    }
    return clock.now();
  }

  #begin(webhook: ActiveWebhook, place: Place, database: Database): void {
    if (!hasWork(webhook)) return;
    const work = this.#step(webhook, place, database).finally(() => this.#active.delete(webhook.id));
    this.#active.set(webhook.id, work);
    // Each is awaited by the run, unless another failed before.
    work.catch(() => undefined);
  }

  async #step(webhook: ActiveWebhook, { shard }: Place, database: Database): Promise<void> {
    const { id: webhookId, programId } = webhook;
    const ledger = ledgerOf(this.#env, shard);
    await deliverSome(webhook, {
      ...{ database, clock, fetcher: webhookNetworkOf(this.#env), secrets: await this.#secretsOf(webhook) },
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

const hasWork = ({ cursor, newestSeq, replays, dueAt, openRetries }: ActiveWebhook): boolean =>
  replays.length > 0 ||
  (dueAt !== null && dueAt <= clock.now()) ||
  (cursor < newestSeq && openRetries < maxOpenRetries);
