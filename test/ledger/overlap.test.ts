import { afterEach, beforeAll, describe, expect, it } from "vitest";

import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { parseExposition } from "../support/exposition.ts";
import { firstMaintenance } from "../support/first-maintenance.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";

const own = isolatedService();
afterEach(() => own.proxy.heal());

beforeAll(() => firstMaintenance(own));

async function openShop() {
  const owner = await own.user();
  const world = await own.world({ partners: [{}, {}], members: [{ user: owner, role: "owner" }] });
  const shop = programFixture(world, own.api());
  await shop.sale({ customer_key: "warm", click_id: shop.click(shop.alice) });
  own.proxy.resetCounts();
  const sell = (transaction_id: string, body = {}) =>
    shop.api.sale({ transaction_id, amount_cents: 10_000, customer_key: "u", ...body }, { key: world.key });
  /** A change of settings: pauses Alice. */
  const change = () => owner.patch(`/api/programs/${world.programId}/partners/${shop.alice.id}`, { status: "paused" });
  return { ...shop, sell, change };
}

/** Delays the response to the next write until `end` is called. Returns once the call is being committed. */
async function committing<T>(call: () => Promise<T>): Promise<{ end(): Promise<T>; isOver(): boolean }> {
  const held = Promise.withResolvers<void>();
  own.proxy.inject({ kind: "hold", until: held.promise }, { only: "writes", times: 1 });
  let isOver = false;
  const before = own.proxy.counts.writes;
  const answer = call().finally(() => {
    isOver = true;
  });
  await eventually(
    async () => own.proxy.counts.writes,
    (writes) => writes > before,
  );
  const end = () => {
    held.resolve();
    return answer;
  };
  return { end, isOver: () => isOver };
}
/** The number of sales that have arrived at the Ledger, and that it hasn't begun to read for. */
const expectQueued = (count: number) =>
  expect
    .poll(async () => {
      const metrics = await (await fetch(`${own.service.localUrl}/metrics`)).text();
      return parseExposition(metrics).get('tributary_ledger_queued_calls{lane="money"}');
    })
    .toBe(count);
const readsOnce = (count: number) =>
  eventually(
    async () => own.proxy.counts.reads,
    (reads) => reads >= count,
  );

describe("a batch of calls during the commit of the previous batch", () => {
  it("a batch of calls already reads during the commit of the previous batch, so that its calls wait less", async () => {
    const countOfTwo = async () => {
      const { sell } = await openShop();
      const first = await committing(() => sell("a"));
      const second = sell("b", { customer_key: "somebody else" });
      await readsOnce(2);
      expect(first.isOver()).toBe(false);
      expect((await first.end()).status).toBe(200);
      expect((await second).status).toBe(200);
      return own.proxy.counts;
    };
    // Repeated until no duty of the Ledger reads at the same time.
    await expect.poll(countOfTwo).toMatchObject({ reads: 2, writes: 2 });
  });

  it("during a commit, a next batch with only a few calls waits for more calls, so that they share a read", {
    tags: "soak",
  }, async () => {
    const { sell, change } = await openShop();
    const sellTo = (customer_key: string) => sell(customer_key, { customer_key });
    // Calls wait while settings are being committed, so that a single round takes all eight.
    const changing = await committing(change);
    const many = await committing(async () => {
      const eight = Array.from({ length: 8 }, (_, i) => sellTo(`one of many ${i}`));
      await expectQueued(8);
      await changing.end();
      return Promise.all(eight);
    });
    const alone = sellTo("alone");
    await expectQueued(1);
    // Metrics are read from the database too, so the count begins after them.
    const { reads } = own.proxy.counts;
    const joining = sellTo("joining");
    await readsOnce(reads + 1);
    expect(many.isOver()).toBe(false);
    for (const { status } of [...(await many.end()), await alone, await joining]) expect(status).toBe(200);
    expect(own.proxy.counts.reads).toBe(reads + 1);
  });

  it("a batch of calls that read during a commit reads again for calls that depend on that commit", async () => {
    const { world, api, sell, click, alice, all } = await openShop();
    const first = await committing(() => sell("a", { click_id: click(alice) }));
    const again = sell("a");
    const renewal = sell("b");
    const refund = api.refund({ transaction_id: "a", refund_amount_cents: 4_000 }, { key: world.key });
    await readsOnce(2);
    expect(first.isOver()).toBe(false);
    const sold = (await first.end()).body;
    expect(await again).toMatchObject({ status: 409, body: { error: { details: { sale_id: sold.sale_id } } } });
    expect((await renewal).body).toMatchObject({ attributed: true, partner_code: alice.code });
    expect((await refund).body).toMatchObject({ refunded_cents: 4_000 });
    expect(await all("customers")).toHaveLength(2);
    await expectLedgerConsistent(world);
  });

  it("while settings are being committed, the next batch of calls doesn't read, and it is decided by the new settings", async () => {
    const { sell, change, click, alice } = await openShop();
    const changing = await committing(change);
    const sale = sell("a", { click_id: click(alice) });
    await expectQueued(1);
    expect(changing.isOver()).toBe(false);
    expect((await changing.end()).status).toBe(200);
    expect((await sale).body.commission).toMatchObject({ status: "void" });
  });

  it("if a commit fails, the calls of the next batch that have already read are refused, and count once when sent again", async () => {
    const { world, sell, all } = await openShop();
    own.proxy.inject({ kind: "delay", ms: 500 }, { only: "writes", times: 1 });
    own.proxy.inject({ kind: "refuse" }, { only: "writes", after: 1 });
    const calls = () => [sell("a"), sell("b", { customer_key: "somebody else" }), sell("a")];
    const replies = await Promise.all(calls());
    expect(replies.map(({ status }) => status)).toContain(503);
    own.proxy.heal();
    await eventually(
      () => sell("a"),
      ({ status }) => status !== 503,
    );
    for (const { status } of await Promise.all(calls())) expect([200, 409]).toContain(status);
    expect(await all("sales")).toHaveLength(3);
    await expectLedgerConsistent(world);
  });
});
