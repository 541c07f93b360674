import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createWorld } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase();
const now = daysAgo(0);
const subscription = { subscriptionId: "sub_1", saleType: "subscription" } as const;

/**
 * Opens a shop with an erased subscriber, and calls for one of their payments. The payment's id contains the erased
 * key.
 */
async function open() {
  const world = await createWorld(own.server.url, { partners: [{}, {}], policies: [{ scope: "lifetime" }] });
  const calls = callsOf(world, own.proxy.url);
  const customerKey = `zebra-${world.programId}`;
  const { programId } = world;
  await calls.lead("key", [calls.click(world.partner, now - 3 * day)], customerKey);
  await calls.sale("first", now - day, { customerKey, ...subscription });
  const erasure = {
    ...{ kind: "erase-person" as const, operationId: randomBytes(8).toString("hex"), at: now, actorId: "owner" },
    ...{ programId, keys: [customerKey], emailHash: null, clickId: null, digests: "[]" },
  };
  expect(await calls.ledger.submit(calls.ledger.changeTask(erasure, now)).outcome).toMatchObject({ ok: true });
  const payment = `${customerKey} renewal`;
  const click = calls.click(world.partner, now - 2 * day);
  return {
    calls,
    byKey: () => calls.saleTask(payment, now, { customerKey, ...subscription }),
    bySubscription: () => calls.saleTask(payment, now, { customerKey: null, ...subscription }),
    byClick: () =>
      calls.saleTask(payment, now, { customerKey: null, clicks: [click], clickId: click.clickId, sentClickId: true }),
    refund: () => calls.refundTask(payment, "amount", { cents: 500, refundId: "r1" }),
    earned: async () =>
      (await world.rows("select amount_cents from ledger_entries where program_id = ? order by id", programId)).map(
        (entry) => entry.amount_cents,
      ),
  };
}
const codes = (outcomes: readonly { ok: boolean; refusal?: { code: string } }[]) =>
  outcomes.map(({ ok, refusal }) => (ok ? "ok" : refusal?.code));

test("a refund in the same batch of calls as a sale of an erased customer finds the sale under its pseudonymized id", async () => {
  const { calls, byKey, refund, earned } = await open();
  expect(codes(await calls.together(byKey(), refund()))).toEqual(["ok", "ok"]);
  expect(await earned()).toEqual([200, 200, -100]);
});

test.each(["byClick", "bySubscription"] as const)(
  "a payment of an erased customer that is sent once with the erased key and once without it is recorded as one sale: %s",
  async (other) => {
    const together = await open();
    expect(codes(await together.calls.together(together.byKey(), together[other]()))).toEqual([
      "ok",
      "duplicate_transaction",
    ]);
    const inTurn = await open();
    const [first, second] = [inTurn[other](), inTurn.byKey()];
    expect(codes([await inTurn.calls.ledger.submit(first).outcome])).toEqual(["ok"]);
    expect(codes([await inTurn.calls.ledger.submit(second).outcome])).toEqual(["duplicate_transaction"]);
    expect([await together.earned(), await inTurn.earned()]).toEqual([
      [200, 200],
      [200, 200],
    ]);
  },
);
