import type { Client } from "@libsql/client/http";
import { beforeAll, expect } from "vitest";
import type { Json } from "../../harness/client.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";
import type { User } from "../../harness/session.ts";
import { openClient } from "../../scripts/database/client.ts";
import type { Databases } from "../../scripts/database/databases.ts";
import { beginMove, type MovePlaces, type MoveStep, moveProgram } from "../../scripts/shards/mover.ts";
import type { ShardedService } from "./sharded-service.ts";
import { uniqueWord } from "./unique-word.ts";

export interface Data<T> {
  readonly data: T;
}

/** Creates programs of one owner on a service with the shards `weur` and `enam`. Call it at the top of the file. */
export function movingShops(own: ShardedService) {
  let signedUp: User | undefined;
  beforeAll(async () => {
    signedUp = await own.user("Grace Hopper");
  });
  const owner = (): User => {
    if (signedUp === undefined) throw new Error("the owner signs up with the first test");
    return signedUp;
  };

  const clientOf = (shard: number): Client => openClient({ url: own.databases[shard]?.url ?? "" });
  async function execute(shard: number, sql: string, ...args: (string | number)[]) {
    await openDatabaseClient(own.databases[shard]?.url ?? "").execute({ sql, args });
  }

  function everyDatabase(): Databases {
    const [home, ...others] = own.databases.map(({ url }, shard) => ({ shard, url }));
    if (home === undefined) throw new Error("home has not been started");
    return [home, ...others];
  }

  /** `at` is the number of the shard: 0 for the home database, 1 for weur, 2 for enam. */
  async function shopAt(at: 0 | 1 | 2, { code = uniqueWord("c"), site = `${uniqueWord("shop")}.example` } = {}) {
    const workspaceId = (await owner().post<Data<{ id: string }>>("/api/workspaces", { name: "Shop" })).body.data.id;
    if (at === 0) for (const n of [1, 2]) await execute(0, "update shards set is_open = 0 where number = ?", n);
    const made = await owner().post<Data<{ id: number; apiToken: string }>>("/api/programs", {
      ...{ workspaceId, name: "Shop", currency: "EUR", websiteUrl: `https://${site}` },
      ...(at !== 0 && { location: at === 1 ? "weur" : "enam" }),
    });
    if (at === 0) for (const n of [1, 2]) await execute(0, "update shards set is_open = 1 where number = ?", n);
    expect(made.status, made.text).toBe(201);
    const { id, apiToken: key } = made.body.data;
    expect(Math.floor(id / 1e12)).toBe(at);
    const partner = await owner().post<Data<{ id: number }>>(`/api/programs/${id}/partners`, { name: "Anna", code });
    await owner().put(`/api/programs/${id}/commission-policy`, {
      ...{ type: "percent", rateBps: 2_000, scope: "lifetime", holdDays: 0 },
    });
    const api = own.api();
    const landing = `https://${site}/?aff=${code}`;
    const click = (more: Json = {}) =>
      api.click({ affiliate_url: landing, program_id: id, ...(more as object) }, { browser: true });
    const clickByCode = () => api.click({ affiliate_url: landing }, { browser: true });
    const sell = (transaction_id: string, customer_key: string) =>
      api.sale({ transaction_id, amount_cents: 4_900, customer_key }, { key });
    const refer = async (customer_key: string) => {
      const { body } = await click();
      return api.lead({ click_id: body.click_id, customer_key }, { key });
    };
    return { refer, id, key, code, site, api, click, clickByCode, sell, workspaceId, partnerId: partner.body.data.id };
  }

  const move = async ({ id }: { readonly id: number }, to: number) =>
    moveProgram(own.places, await beginMove(own.places, id, to));
  const placeAt = async (shard: number, { id }: { readonly id: number }) =>
    (await own.rows(shard, "select place from programs where id = ?", id))[0]?.place;

  /** A mover (the process that migrates a program) that dies when it would send this step to the program. */
  const dyingMover = (at: MoveStep = "leave"): MovePlaces => {
    let isDead = false;
    return {
      ...own.places,
      step: async (step, ...rest) => {
        isDead ||= step === at;
        if (isDead) throw new Error("the mover died");
        return own.places.step(step, ...rest);
      },
    };
  };
  return { owner, everyDatabase, clientOf, execute, shopAt, move, placeAt, dyingMover };
}
