import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { erasingCallsOf } from "../support/erasing-calls.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";

// What decides money, or what others rest on, stays.

const own = isolatedDatabase();
const now = daysAgo(0);

async function openShop(settings: Parameters<typeof createWorld>[1] = {}) {
  const world = await createWorld(own.server.url, settings);
  const calls = callsOf(world, own.proxy.url);
  return { world, calls, ...erasingCallsOf(world, calls) };
}

async function correct({ programId, rows }: World, { ledger }: ReturnType<typeof callsOf>, amountCents: number) {
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
    ...{ ...found, clicks: [], changes: { amountCents }, reason: "wrong", isDryRun: false },
  };
  expect(await ledger.submit(ledger.changeTask(call, now)).outcome).toMatchObject({ ok: true });
}

test.each(["zebra-1", "plan@2.0"])(
  "a product's id is %s: its rule goes on to pay, also for a correction",
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
    await correct(world, calls, 2_000);
    const [sum] = await world.rows(
      "select sum(amount_cents) as cents from ledger_entries where program_id = ?",
      world.programId,
    );
    expect(sum).toEqual({ cents: 1_000 });
    await expectLedgerConsistent(world);
  },
);

test("the audit tells what an erasure left of a lead from what was told of a refund after it", async () => {
  const { world, calls, erase } = await openShop();
  await calls.lead("key", [calls.click(world.partner, now - 3 * day)], "zebra-1", { pageUrl: "https://shop.example/" });
  await calls.sale("t1", now - day, { customerKey: "zebra-1" });
  await calls.sale("t2", now - day, { customerKey: "lion-1" });
  await erase("zebra-1");
  await calls.refund("t1", "amount", { cents: 100, at: now + 2, reason: "too small" });
  await erase("lion-1", { at: now + 3 });
  await expectLedgerConsistent(world);
  await world.write(`update leads set page_url = 'https://shop.example/' where program_id = ${world.programId}`);
  expect((await world.audit()).map(({ broken }) => broken)).toEqual(["erased customers of whom something is known"]);
});
