import { DurableObject } from "cloudflare:workers";
import type { Shard } from "#domain/ids.ts";
import type { Env } from "#env.ts";
import type { DelivererRpc } from "./rpc.ts";

/**
 * Durable Object that sends a shard's mails. The object of the home shard also writes the mails to teams. The mails are
 * in the shard's database. The object's own storage contains only the alarm and the shard number.
 */
export class Deliverer extends DurableObject<Env> implements DelivererRpc {
  async wake(shard: Shard): Promise<void> {
    const { storage } = this.ctx;
    await storage.put("shard", shard);
    await storage.setAlarm(Date.now());
  }

  override async alarm(): Promise<void> {
    await (await import("./deliver.ts")).deliver(this.ctx, this.env);
  }
}
