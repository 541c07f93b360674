import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, inject, it } from "vitest";
import { type ClickBody, createApi, type Reply, type SaleBody } from "../support/client.ts";
import { eventually, ownService } from "../support/own-service.ts";
import { startService } from "../support/service.ts";
import type { World } from "../support/world.ts";

const own = ownService();

/** Calls again until there is an answer that is not a failure of ours, as a caller with retries does. */
async function insist<T extends { status: number }>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    const reply = await call().catch(() => undefined);
    if (reply !== undefined && reply.status < 500) return reply;
    await delay(150);
  }
}

interface Burst {
  readonly sales: readonly Reply<SaleBody>[];
  readonly clicks: readonly Reply<ClickBody>[];
}

/** Forty sales, each sent twice, and forty clicks of as many events, from several callers at once, spread over a while. */
async function burst(world: World, urls: readonly string[], disturb: () => Promise<void>): Promise<Burst> {
  const callers = urls.map((url) => createApi(url));
  const caller = (i: number) => callers[i % callers.length] ?? createApi(own.service.url);
  const sell = (i: number, by: number) =>
    insist(() =>
      caller(by).sale({ transaction_id: `t${i}`, amount_cents: 1_000 + i, customer_key: `u${i}` }, { key: world.key }),
    );
  const click = (i: number) =>
    insist(() =>
      caller(i).click({
        affiliate_url: world.partner.landingUrl,
        program_id: world.programId,
        event_id: `e${i}`,
      }),
    );
  const disturbed = disturb();
  const calls = Array.from({ length: 40 }, async (_, i) => {
    await delay(i * 25);
    const [one, other, clicked] = await Promise.all([sell(i, i), sell(i, i + 1), click(i)]);
    return { sales: [one, other], clicked };
  });
  const replies = await Promise.all(calls);
  await disturbed;
  return { sales: replies.flatMap(({ sales }) => sales), clicks: replies.map(({ clicked }) => clicked) };
}

/** Everything that was answered is there once, and nothing else. */
async function expectOnce(world: World, { sales, clicks }: Burst): Promise<void> {
  expect(new Set(sales.map(({ status }) => status))).toEqual(new Set([200, 409]));
  expect(new Set(clicks.map(({ status }) => status))).toEqual(new Set([200]));
  const count = async (table: string) =>
    Number((await world.rows(`select count(*) as n from ${table} where program_id = ?`, world.programId))[0]?.n);
  await eventually(
    () => count("clicks"),
    (n) => n >= 40,
  );
  const sold = await world.rows("select transaction_id, id from sales where program_id = ?", world.programId);
  expect(sold.map((row) => row.transaction_id).sort()).toEqual(Array.from({ length: 40 }, (_, i) => `t${i}`).sort());
  expect(await count("commissions")).toBe(40);
  const ids = new Set(sold.map((row) => row.id));
  for (const { body } of sales) {
    expect(ids).toContain(body.sale_id ?? body.error.details.sale_id);
  }
  expect(await count("clicks")).toBe(40);
  const [daily] = await world.rows(
    "select sum(clicks) as clicks, sum(organic_sales) as sales from daily_counts where program_id = ?",
    world.programId,
  );
  expect(daily).toMatchObject({ clicks: 40, sales: 40 });
}

/** A world that the Ledger has seen. */
async function knownWorld(): Promise<World> {
  const world = await own.world();
  await insist(() =>
    own.api().click({ affiliate_url: world.partner.landingUrl, program_id: world.programId, event_id: "e0" }),
  );
  return world;
}

describe("every call that was answered counts once, and no other more than once, while", () => {
  it("the database is killed and started again", async () => {
    const world = await knownWorld();
    const outcome = await burst(world, [own.service.url], async () => {
      await delay(300);
      await own.database.kill();
      await delay(500);
      await own.database.start();
    });
    await expectOnce(world, outcome);
  });

  it("the runtime is killed and started again", async () => {
    const world = await knownWorld();
    const outcome = await burst(world, [own.service.url], async () => {
      await delay(400);
      await own.service.kill();
      await own.service.restart();
    });
    await expectOnce(world, outcome);
  });

  it("the Ledger is reset with calls waiting, again and again", async () => {
    const world = await knownWorld();
    const outcome = await burst(world, [own.service.url], async () => {
      for (let i = 0; i < 4; i += 1) {
        await delay(200);
        // Somebody else claims the place: the next write fails, and the object ends itself.
        await world.change();
      }
    });
    await expectOnce(world, outcome);
  });

  it("two Ledgers take turns at one database, as around a deploy", async () => {
    const second = await startService({
      worker: inject("worker"),
      databaseUrl: own.proxy.url,
      vars: { RATE_LIMITS: "off" },
    });
    try {
      const world = await knownWorld();
      const outcome = await burst(world, [own.service.url, second.url], async () => {});
      await expectOnce(world, outcome);
    } finally {
      await second.stop();
    }
  });
});
