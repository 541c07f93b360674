import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { SaleCorrection } from "#operations/manage/correction.ts";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { erasingCallsOf } from "../support/erasing-calls.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";
import { rowsNaming } from "../support/rows-naming.ts";
import { openShop as openSignalsShop } from "./signals-shop.ts";

// Erasure keeps values that decide amounts or that other rows depend on.

const own = isolatedDatabase();
const now = daysAgo(0);

async function openShop(settings: Parameters<typeof createWorld>[1] = {}) {
  const world = await createWorld(own.server.url, settings);
  const calls = callsOf(world, own.proxy.url);
  return { world, calls, ...erasingCallsOf(world, calls) };
}

async function correct(
  { programId, rows }: World,
  { ledger }: Pick<ReturnType<typeof callsOf>, "ledger">,
  changes: SaleCorrection,
) {
  const [row] = await rows("select max(id) as id from sales where program_id = ?", programId);
  const found = await findCorrectableSale(databaseAt(own.server.url), programId, Number(row?.id));
  if (!found) throw new Error("there is no such sale");
  const call = {
    ...{
      kind: "correct-sale" as const,
      operationId: randomBytes(8).toString("hex"),
      at: now,
      actorId: "owner",
      programId,
    },
    ...{ ...found, clicks: [], changes, reason: "wrong", isDryRun: false },
  };
  expect(await ledger.submit(ledger.changeTask(call, now)).outcome).toMatchObject({ ok: true });
}

test.each(["zebra-1", "plan@2.0"])(
  "an erasure keeps the product id %s, so that a rule for the product also applies to a later correction of the sale",
  async (productId) => {
    const { world, calls, erase } = await openShop({
      policies: [{ rateBps: 1_000, rules: [{ when: { productIds: [productId] }, rateBps: 5_000 }] }],
    });
    await calls.lead("key", [calls.click(world.partner, now - 3 * day)], "zebra-1");
    const items = JSON.stringify([{ itemId: "1 of zebra-1", productId, amountCents: 1_000, quantity: 1 }]);
    await calls.sale("t1", now - day, { customerKey: "zebra-1", items });
    await erase("zebra-1");
    const [sale] = await world.rows("select items from sales where program_id = ?", world.programId);
    expect(JSON.parse(String(sale?.items))).toMatchObject([{ itemId: expect.stringMatching(/^erased_/), productId }]);
    await correct(world, calls, { amountCents: 2_000 });
    const [sum] = await world.rows(
      "select sum(amount_cents) as cents from ledger_entries where program_id = ?",
      world.programId,
    );
    expect(sum).toEqual({ cents: 1_000 });
    await expectLedgerConsistent(world);
  },
);

test("the audit accepts a refund reported after an erasure, and reports a page URL left in an erased lead", async () => {
  const { world, calls, erase } = await openShop();
  await calls.lead("key", [calls.click(world.partner, now - 3 * day)], "zebra-1", { pageUrl: "https://shop.example/" });
  await calls.sale("t1", now - day, { customerKey: "zebra-1" });
  await calls.sale("t2", now - day, { customerKey: "lion-1" });
  await erase("zebra-1");
  await calls.refund("t1", "amount", { cents: 100, at: now + 2, reason: "too small" });
  await erase("lion-1", { at: now + 3 });
  await expectLedgerConsistent(world);
  await world.write(`update leads set page_url = 'https://shop.example/' where program_id = ${world.programId}`);
  expect((await world.audit()).map(({ broken }) => broken)).toEqual(["erased customers with identifying data"]);
});

test("a sale corrected after its customer's erasure is recognized as a duplicate when the original or the corrected sale is sent again", async () => {
  const { world, calls, erase } = await openShop();
  await calls.sale("t1", now - day, { customerKey: "zebra-1", eventName: "zebra-1 bought" });
  await erase("zebra-1");
  await correct(world, calls, { amountCents: 2_000 });
  const again = (id: string, amountCents: number) =>
    calls.ledger.submit(calls.saleTask(id, now - day, { customerKey: "zebra-1", amountCents })).outcome;
  const same = { refusal: { code: "duplicate_transaction", differences: [] } };
  expect([await again("t1", 1_000), await again("t1~1", 2_000)]).toMatchObject([same, same]);
  await expectLedgerConsistent(world);
});

test("a subscription id that contains an erased customer_key gets one pseudonym, even if a correction moved a sale to another customer", async () => {
  const { world, calls, erase } = await openShop({ policies: [{ scope: "lifetime" }] });
  const zebra = `zebra-${world.programId}`;
  const subscription = { subscriptionId: `sub/${zebra}`, saleType: "subscription" } as const;
  await calls.sale("t1", now - day, { customerKey: zebra, ...subscription });
  await correct(world, calls, { customerKey: "lion-1" });
  await erase(zebra);
  expect(await rowsNaming(world, subscription.subscriptionId)).toEqual([]);
  const ids = "select distinct subscription_id as id from sales where program_id = ?";
  expect(await world.rows(ids, world.programId)).toEqual([{ id: expect.stringMatching(/^erased_/) }]);
  await calls.sale("t2", now, { customerKey: null, ...subscription });
  const [owners] = await world.rows(
    `select count(distinct s.customer_id) as customers from sales s join customers c on c.id = s.customer_id
     where s.transaction_id in ('t1~1', 't2') and c.customer_key = 'lion-1' and s.program_id = ?`,
    world.programId,
  );
  expect(owners).toEqual({ customers: 1 });
  await expectLedgerConsistent(world);
});

test("the reason for a hold of another customer's commission contains no transaction_id of an erased customer", async () => {
  const shop = await openSignalsShop(own.server.url, { policies: [{ holdDays: 0 }] });
  const zebra = `zebra-${shop.world.programId}`;
  for (const key of [zebra, "lion-1"]) await shop.refer(key, "both@mail.example");
  await shop.sell(`pi_${zebra}`, { customerKey: zebra });
  await shop.sell("cs_2", { customerKey: "lion-1" });
  const held = async () => (await shop.raised()).cs_2;
  expect(await held()).toBe("pending, held: duplicate_source hold");
  await erasingCallsOf(shop.world, shop).erase(zebra);
  expect(await rowsNaming(shop.world, zebra)).toEqual([]);
  expect(await held()).toBe("pending, held: duplicate_source hold");
});
