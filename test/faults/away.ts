import { afterEach, beforeEach, expect } from "vitest";
import { mintOperatorToken } from "#domain/operator-token.ts";
import type { Api, CallOptions, Reply } from "../../harness/client.ts";
import { type Service, testSecrets } from "../../harness/service.ts";
import type { World } from "../../harness/world.ts";
import { eventually, type IsolatedService } from "../support/isolated-service.ts";

/** Opens a world that the service has read before its database becomes unavailable. Call it at the top of the file. */
export function worldOf(own: IsolatedService<Service>) {
  let world: World;
  let api: Api;

  const click = (body = {}, options?: CallOptions) =>
    api.click({ affiliate_url: world.partner.landingUrl, program_id: world.programId, ...body }, options);
  const one = async (sql: string) => Number((await world.rows(sql, world.programId))[0]?.n);
  /** Returns the clicks in the Ledger's own storage. */
  const spilled = async () => {
    const call = { method: "GET", path: "/api/operator/spill" };
    const key = mintOperatorToken(testSecrets.DATABASE_AUTH_TOKEN, call, "", Date.now() + 60_000);
    const { status, text } = await api.request("GET", call.path, { key, checked: false });
    expect(status, text).toBe(200);
    const { meta } = JSON.parse(text) as { meta: { waiting: number; setAside: number } };
    return meta.waiting + meta.setAside;
  };
  const settled = () =>
    eventually(
      async () => (await spilled()) === 0,
      (isEmpty) => isEmpty,
    );

  // The click makes the Ledger cache the link and the program.
  beforeEach(async () => {
    own.proxy.heal();
    world = await own.world({ partners: [{}, {}], keys: [{}, { retiresAt: Date.now() - 1_000 }] });
    api = own.api();
    await eventually(click, ({ status, body }) => status === 200 && body.success);
    await settled();
  });
  afterEach(async () => {
    own.proxy.heal();
    await settled();
    expect(await world.audit(), "what the audit finds").toEqual([]);
  });

  return {
    get world() {
      return world;
    },
    get api() {
      return api;
    },
    click,
    sell: (transaction_id: string) =>
      api.sale({ transaction_id, amount_cents: 1_000, customer_key: "u" }, { key: world.key }),
    one,
    storedClicks: () => one("select count(*) as n from clicks where program_id = ?"),
    countedClicks: () => one("select sum(clicks) as n from daily_counts where program_id = ?"),
    spilled,
    settled,
  };
}

export function expectUnavailable(reply: Pick<Reply<unknown>, "status" | "headers" | "body">): void {
  expect(reply.status).toBe(503);
  expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(reply.body.error.name).toBe("ServiceUnavailableError");
}
