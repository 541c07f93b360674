import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { erasedDigest } from "#domain/erasure.ts";
import type { ErasePersonCall } from "#operations/privacy/erase-person.ts";
import { stepSizes } from "#store/sales.ts";
import { mapConcurrent } from "../../dashboard/src/api/map-concurrent.ts";
import { testSecrets } from "../../harness/service.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });
const now = daysAgo(0);
let world: World;
let calls: ReturnType<typeof callsOf>;

beforeEach(async () => {
  world = await createWorld(own.server.url, { partners: [{}, {}], policies: [{ scope: "lifetime" }] });
  calls = callsOf(world, own.proxy.url);
  await calls.lead("key", [calls.click(world.partner, now - 3 * day)], "zebra-1");
  await calls.sale("t1", now - day, { customerKey: "zebra-1", eventName: "zebra bought" });
});

const eraseCall = (more: Partial<ErasePersonCall> = {}): ErasePersonCall => ({
  ...{ kind: "erase-person", operationId: randomBytes(8).toString("hex"), at: now, actorId: "owner" },
  ...{ programId: world.programId, keys: ["zebra-1"], emailHash: null, clickId: null, digests: "[]" },
  ...more,
});
const erase = (call = eraseCall()) => calls.ledger.submit(calls.ledger.changeTask(call, now)).outcome;
const stored = async () => {
  const tables = ["customers", "leads", "sales", "commissions", "refunds", "notes", "audit_entries", "erasures"];
  const rows = await Promise.all(tables.map((table) => world.rows(`select * from ${table}`)));
  return rows.flat().filter((row) => JSON.stringify(row).includes("zebra-1"));
};
const sell = async (count: number) => {
  const ids = Array.from({ length: count }, (_, i) => `many ${i} zebra-1`);
  const sellOne = (id: string) =>
    calls.ledger.submit(calls.saleTask(id, now - day + 1, { customerKey: "zebra-1" })).outcome;
  const outcomes = await mapConcurrent(ids, 200, sellOne);
  expect(outcomes.every(({ ok }) => ok)).toBe(true);
};

describe("an erasure", () => {
  test("an erasure is applied once when the runtime resends it, and returns the same response", async () => {
    const call = eraseCall();
    const first = await erase(call);
    expect(first).toMatchObject({ ok: true, answer: { rows: { customers: 1, sales: 1 } } });
    const after = JSON.stringify(await world.rows("select * from customers"));
    expect(await erase(call)).toMatchObject({ ok: true, answer: first.ok && first.answer });
    expect(JSON.stringify(await world.rows("select * from customers"))).toBe(after);
  });

  test("an erasure of many rows runs in steps with other calls in between, and continues after a restart", async () => {
    await sell(450);
    own.proxy.resetCounts();
    const begun = await erase();
    expect(begun).toMatchObject({ ok: true, answer: { erasedAt: null } });
    expect((await stored()).length).toBeGreaterThan(400);
    const digests = JSON.stringify([
      erasedDigest({ programId: world.programId, hashSecret: testSecrets.HASH_SECRET }, "zebra-1"),
    ]);
    expect(await erase(eraseCall({ digests }))).toMatchObject({
      ok: true,
      answer: begun.ok && begun.answer,
    });
    await calls.maintain();
    // The process ends after the first steps, and another one continues.
    calls = callsOf(world, own.proxy.url);
    await expect
      .poll(async () => {
        await calls.maintain();
        return (await stored()).length;
      })
      .toBe(0);
    const [receipt] = await world.rows(
      "select erased_at, asked, rows from erasures where program_id = ?",
      world.programId,
    );
    expect(receipt).toMatchObject({ asked: null });
    expect(JSON.parse(String(receipt?.rows))).toMatchObject({ sales: 451, commissions: 451, customers: 1 });
    await expectLedgerConsistent(world);
  });

  test("an erasure that begins while the customer's sales move to another partner leaves all these sales moved and erased", async () => {
    const [alice, bob] = world.partners;
    if (alice === undefined || bob === undefined) throw new Error("the program has two partners");
    const customerKey = "zebra-1 of Bob";
    await calls.lead("browser", [calls.click(bob, now - 30 * day)], customerKey);
    const count = stepSizes.many.sales + 1;
    for (let i = 0; i < count; i += 1) await calls.sale(`moving ${i}`, now - day + i, { customerKey });
    await calls.lead("key", [calls.click(alice, now - 25 * day)], customerKey);
    expect(await calls.pending()).toBe(1);
    const begun = await erase(eraseCall({ keys: [customerKey] }));
    expect(begun).toMatchObject({ ok: true });
    const left = async () => (await stored()).filter((row) => JSON.stringify(row).includes(customerKey)).length;
    await expect
      .poll(async () => {
        await calls.maintain();
        return [await calls.pending(), await left()];
      })
      .toEqual([0, 0]);
    const moved = await world.rows(
      "select partner_id, count(*) as n from sales where transaction_id like 'moving %' group by partner_id",
    );
    expect(moved).toEqual([{ partner_id: alice.id, n: count }]);
    await expectLedgerConsistent(world);
  });

  test("an erasure changes nothing if the database rejects one of its statements", async () => {
    await world.write(
      "create trigger refuse_erased before update of is_erased on customers begin select raise(abort, 'no'); end",
    );
    const books = async () =>
      JSON.stringify([await world.rows("select * from sales"), await world.rows("select * from erasures")]);
    const before = await books();
    expect(await erase()).toMatchObject({ ok: false, refusal: { code: "internal" } });
    await world.write("drop trigger refuse_erased");
    expect(await books()).toBe(before);
  });

  test("an erasure doesn't wait for a sale decided before it, and a sale that is sent again in the erasure's batch of calls is a duplicate", async () => {
    const again = () => calls.saleTask("t1", now - day, { customerKey: "zebra-1", eventName: "zebra bought" });
    const outcomes = await Promise.all([
      calls.ledger.submit(again()).outcome,
      erase(),
      calls.ledger.submit(again()).outcome,
    ]);
    expect(outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.refusal.code))).toEqual([
      "duplicate_transaction",
      "ok",
      "duplicate_transaction",
    ]);
    expect(await world.rows("select id from sales where program_id = ?", world.programId)).toHaveLength(1);
  });
});
