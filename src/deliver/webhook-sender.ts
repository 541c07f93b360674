import { DurableObject } from "cloudflare:workers";
import { earliest } from "#domain/calendar.ts";
import type { ProgramId, Shard, WebhookId } from "#domain/ids.ts";
import type { Env } from "#env.ts";
import type { LoggedAttempt, LoggedDelivery, LogQuery, WebhookSenderRpc } from "./rpc.ts";
import type { Sending } from "./sending.ts";

/**
 * Durable Object that posts a program's events to its webhooks. The database has the events and deliveries. The
 * object's own storage has the alarm, the program's shard, and the log of attempts.
 */
export class WebhookSender extends DurableObject<Env> implements WebhookSenderRpc {
  #sending: Sending | undefined;

  async wake(shard: Shard, programId: ProgramId): Promise<void> {
    const { storage } = this.ctx;
    const known = await storage.get<{ shard: Shard; programId: ProgramId }>("place");
    if (known?.shard !== shard) await storage.put("place", { shard, programId });
    if (this.#sending?.isRunning) this.#sending.look();
    else await storage.setAlarm(Date.now());
  }

  async attempts(webhookId: WebhookId, eventIds: readonly string[]): Promise<readonly (readonly LoggedAttempt[])[]> {
    const { log } = await this.#start();
    const now = Date.now();
    return eventIds.map((eventId) => log.attemptsOf(webhookId, eventId, now));
  }

  async log(webhookId: WebhookId, query: LogQuery): Promise<readonly LoggedDelivery[]> {
    return (await this.#start()).log.list(webhookId, query, Date.now());
  }

  override async alarm(): Promise<void> {
    const sending = await this.#start();
    // The log is also emptied if the program has no webhook any more or has moved to another shard.
    const next = earliest(await sending.run(), sending.log.removeOld(Date.now()));
    const { storage } = this.ctx;
    const woken = await storage.getAlarm();
    if (next !== undefined && (woken === null || woken > next)) await storage.setAlarm(next);
  }

  async #start(): Promise<Sending> {
    const { Sending } = await import("./sending.ts");
    this.#sending ??= new Sending(this.ctx.storage, this.env);
    return this.#sending;
  }
}
