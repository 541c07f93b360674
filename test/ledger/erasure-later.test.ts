import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import type { ErasePersonCall } from "#operations/privacy/erase-person.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";
import { rowsNaming } from "../support/rows-naming.ts";
import { openShop, partnerEmail } from "./signals-shop.ts";

const own = isolatedDatabase();
const now = daysAgo(0);
const subscription = { subscriptionId: "sub_1", saleType: "subscription" } as const;
let world: World;
let calls: ReturnType<typeof callsOf>;
let zebra: string;

beforeEach(async () => {
  world = await createWorld(own.server.url, { partners: [{}, {}], policies: [{ scope: "one_time" }] });
  calls = callsOf(world, own.proxy.url);
  zebra = `zebra-${world.programId}`;
});

async function eraseIn(
  { programId }: World,
  ledger: ReturnType<typeof callsOf>["ledger"],
  key: string | null,
  more: Partial<ErasePersonCall> = {},
) {
  const call: ErasePersonCall = {
    ...{ kind: "erase-person", operationId: randomBytes(8).toString("hex"), at: now + 1, actorId: "owner" },
    ...{ programId, keys: key === null ? [] : [key], emailHash: null, clickId: null, digests: "[]", ...more },
  };
  expect(await ledger.submit(ledger.changeTask(call, now)).outcome).toMatchObject({ ok: true });
}
const erase = (key: string | null, more: Partial<ErasePersonCall> = {}) => eraseIn(world, calls.ledger, key, more);
const shown = (click: ReturnType<typeof calls.click>) => ({
  clicks: [click],
  clickId: click.clickId,
  sentClickId: true,
});
const paid = async () =>
  (await calls.commissions()).map(({ t, amount_cents: cents }) => [String(t).replace(/^erased_.*/, "erased"), cents]);
const customersOfSales = () =>
  world.rows(
    "select distinct customer_id from sales where program_id = ? and subscription_id = 'sub_1'",
    world.programId,
  );

describe("a later sale of an erased customer", () => {
  test("a later sale of an erased customer is held for the same reason as an earlier sale", async () => {
    const shop = await openShop(own.server.url, { policies: [{ holdDays: 0, scope: "lifetime" }] });
    await shop.setEmail(partnerEmail);
    await shop.refer("c1", partnerEmail);
    await shop.sell("t1", { ...subscription, amountCents: 1_000 });
    await eraseIn(shop.world, shop.ledger, "c1");
    await shop.sell("t2", { ...subscription, amountCents: 1_100 });
    const held = "pending, held: self_referral hold";
    expect(await shop.raised()).toEqual({ t1: held, t2: held });
  });

  test("a later sale of an erased customer is recorded for the erased customer by its subscription, even if a lead with the old customer_key created another customer", async () => {
    const click = calls.click(world.partner, now - 3 * day);
    await calls.lead("key", [click], zebra);
    await calls.sale("t1", now - day, { customerKey: zebra, ...subscription });
    await erase(zebra);
    await calls.lead("key", [click], zebra);
    await calls.sale("t2", now, { customerKey: zebra, ...subscription, ...shown(click) });
    expect(await paid()).toEqual([
      ["t1", 200],
      ["t2", 0],
    ]);
    expect(await customersOfSales()).toHaveLength(1);
    await expectLedgerConsistent(world);
  });

  test.each(["the old key", "another key", "the old click"])(
    "a later sale of an erased customer is recorded for the erased customer by the subscription, and stores no customer_key, if it is sent with %s",
    async (by) => {
      const click = calls.click(world.partner, now - 3 * day);
      await calls.lead("key", [], zebra);
      await calls.sale("t1", now - day, { customerKey: null, ...shown(click), ...subscription });
      if (by === "the old key") await erase(zebra);
      await erase(null, { clickId: click.clickId, at: now + 2 });
      const named = by === "the old click" ? { customerKey: null, ...shown(click) } : { customerKey: zebra };
      const key = by === "another key" ? `${zebra}-too` : zebra;
      const call = { ...named, ...(by === "another key" && { customerKey: key }), ...subscription };
      await calls.sale(`of ${key}`, now, call);
      await expect(calls.sale(`of ${key}`, now, call)).rejects.toThrow("duplicate_transaction");
      expect(await paid()).toEqual([
        ["t1", 200],
        [by === "the old click" ? `of ${key}` : "erased", 0],
      ]);
      expect(await customersOfSales()).toHaveLength(1);
      expect(
        await world.rows(
          "select id from sales where sent_customer_key is not null and program_id = ?",
          world.programId,
        ),
      ).toEqual([]);
      expect(await rowsNaming(world, click.clickId, `${zebra}-too`)).toEqual([]);
      await expectLedgerConsistent(world);
    },
  );

  test("a later sale of an erased customer is recorded for another customer if it has that customer's key or click", async () => {
    const [first, second] = [calls.click(world.partner, now - 3 * day), calls.click(world.partner, now - 2 * day)];
    await calls.lead("key", [first], zebra);
    await calls.sale("t1", now - day, { customerKey: zebra, ...subscription });
    await calls.lead("key", [second], "lion-1");
    await erase(zebra);
    await calls.sale("t2", now, { customerKey: "lion-1", ...subscription });
    await calls.sale("t3", now, { customerKey: null, ...shown(second) });
    const [lion] = await world.rows(
      "select id from customers where customer_key = 'lion-1' and program_id = ?",
      world.programId,
    );
    expect(
      await world.rows(
        "select distinct customer_id as id from sales where transaction_id in ('t2', 't3') and program_id = ?",
        world.programId,
      ),
    ).toEqual([lion]);
  });
});

test("a later refund of an erased customer stores neither a reason nor an id with the erased key, and its response has the id that was sent", async () => {
  await calls.lead("key", [calls.click(world.partner, now - 3 * day)], zebra);
  await calls.sale("t1", now - day, { customerKey: zebra });
  await calls.refund("t1", "amount", { cents: 50, refundId: `${zebra}/first` });
  await erase(zebra);
  const first = { cents: 50, refundId: `${zebra}/first`, reason: `${zebra} was unhappy` };
  expect(await calls.refund("t1", "amount", first)).toMatchObject({ status: "skipped", refundId: first.refundId });
  const second = { ...first, refundId: `re_${zebra}_2` };
  const told = await calls.refund("t1", "amount", second);
  expect(told).toMatchObject({ refundedCents: 50, refundId: second.refundId });
  expect(await calls.refund("t1", "amount", second)).toMatchObject({ status: "skipped", refundId: second.refundId });
  expect(await calls.refund("t1", "amount", { cents: 50, refundId: "re_3" })).toMatchObject({ refundId: "re_3" });
  const stored = await world.rows(
    "select refund_id, reason from refunds where program_id = ? order by id",
    world.programId,
  );
  expect(stored.map(({ refund_id: id, reason }) => [String(id).replace(/^erased_.*/, "erased"), reason])).toEqual([
    ["erased", null],
    ["erased", null],
    ["re_3", null],
  ]);
  expect(await rowsNaming(world, zebra)).toEqual([]);
  await expectLedgerConsistent(world);
});
