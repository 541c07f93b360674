import { DurableObject } from "cloudflare:workers";
import type { Env } from "#env.ts";
import type { Keeping } from "./keeping.ts";
import type { CallBatch, LoggedCall, NamedPerson, RequestLogRpc, RequestPage, RequestQuery } from "./rpc.ts";

/**
 * The tracking calls of a program in the last days, with their replies. The log may be lost: it stays behind in a shard
 * migration, and isn't in backups.
 */
export class RequestLog extends DurableObject<Env> implements RequestLogRpc {
  #keeping: Keeping | undefined;

  async add(batch: CallBatch): Promise<void> {
    await (await this.#start()).add(batch);
  }

  async list(query: RequestQuery): Promise<RequestPage> {
    return (await this.#start()).list(query);
  }

  async listPerson(person: NamedPerson): Promise<readonly LoggedCall[]> {
    return (await this.#start()).listPerson(person);
  }

  async erase(person: NamedPerson & { readonly isErased: boolean }): Promise<void> {
    (await this.#start()).erase(person);
  }

  override async alarm(): Promise<void> {
    await (await this.#start()).removeOld();
  }

  async #start(): Promise<Keeping> {
    const { Keeping } = await import("./keeping.ts");
    this.#keeping ??= new Keeping(this.ctx.storage, this.env);
    return this.#keeping;
  }
}
