import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { verifiedClicks } from "#http/click-ids.ts";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import { mapConcurrent } from "../../dashboard/src/api/map-concurrent.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { testClickKeys } from "../../harness/service.ts";
import { createWorld } from "../../harness/world.ts";
import { erasingCallsOf } from "../support/erasing-calls.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";
import { rowsNaming } from "../support/rows-naming.ts";

// A correction copies a sale. The sale's customer may be erased between the read and the write.

const own = isolatedDatabase();
const now = daysAgo(0);

async function openShop() {
  const world = await createWorld(own.server.url, { policies: [{ scope: "lifetime", holdDays: 0 }] });
  const calls = callsOf(world, own.proxy.url);
  const zebra = `zebra-${world.programId}`;
  await calls.lead("key", [calls.click(world.partner, now - 3 * day)], zebra);
  const told = { customerKey: zebra, eventName: `${zebra} bought`, lineItems: `["${zebra} street"]` };
  /** Reads the sale at once. The returned function sends the correction. */
  const correction = async (changes: { amountCents?: number; customerKey?: string }) => {
    const newest = "select max(id) as id from sales where program_id = ?";
    const [row] = await world.rows(newest, world.programId);
    const found = await findCorrectableSale(databaseAt(own.server.url), world.programId, Number(row?.id));
    if (!found) throw new Error("there is no such sale");
    const call = {
      ...{ kind: "correct-sale" as const, operationId: randomBytes(8).toString("hex"), at: now, actorId: "owner" },
      ...{ ...found, programId: world.programId, changes, reason: "wrong", isDryRun: false },
      ...verifiedClicks(testClickKeys, [], found.sale.sentClickId),
    };
    return () => calls.ledger.submit(calls.ledger.changeTask(call, now)).outcome;
  };
  return { world, calls, zebra, told, correction, ...erasingCallsOf(world, calls) };
}

test("a correction that read a sale before the sale's erasure copies the pseudonymized sale", async () => {
  const { world, calls, zebra, told, correction, erase } = await openShop();
  const shown = calls.click(world.partner, now - 2 * day);
  await calls.sale(`of ${zebra}`, now - day, { ...told, clicks: [shown], clickId: shown.clickId, sentClickId: true });
  const correct = await correction({ amountCents: 900 });
  await erase(zebra);
  expect(await correct()).toMatchObject({ ok: true });
  expect(await rowsNaming(world, zebra, shown.clickId)).toEqual([]);
  const [, again] = await calls.commissions();
  expect(again).toMatchObject({ t: expect.stringMatching(/^erased_.*~1$/), amount_cents: 180 });
  await expectLedgerConsistent(world);
});

test("a sale can't be corrected to another customer between the steps of an erasure", async () => {
  const { world, calls, zebra, told, correction, erase, opened } = await openShop();
  const tasks = Array.from({ length: 510 }, (_, i) => calls.saleTask(`${zebra}/${i}`, now - day + i, told));
  await mapConcurrent(tasks, 170, (task) => calls.ledger.submit(task).outcome);
  await erase(zebra);
  const correct = await correction({ customerKey: "lion-1" });
  expect(await correct()).toMatchObject({ refusal: { code: "moving" } });
  await expect
    .poll(async () => {
      await calls.maintain();
      return (await opened())?.asked;
    })
    .toBeNull();
  expect(await correct()).toMatchObject({ ok: true });
  expect(await rowsNaming(world, zebra)).toEqual([]);
  await expectLedgerConsistent(world);
});

test.each([["first"], ["second"], ["first", "second"], ["second", "first"]])(
  "a corrected sale contains no data of an erased customer if its first or second customer is erased, in the order %s, %s",
  async (...erased: readonly string[]) => {
    const { world, calls, zebra, told, correction, erase } = await openShop();
    const lion = `lion-${world.programId}`;
    const shown = calls.click(world.partner, now - 2 * day);
    await calls.lead("key", [calls.click(world.partner, now - 3 * day)], lion);
    const clicks = { clicks: [shown], clickId: shown.clickId, sentClickId: true };
    const ofOne = { subscriptionId: `sub ${zebra}`, saleType: "subscription" } as const;
    await calls.sale(`${zebra}/1 of ${lion}`, now - day, { ...told, ...clicks, ...ofOne });
    await calls.refund(`${zebra}/1 of ${lion}`, "amount", {
      cents: 100,
      refundId: `RE-${zebra} ${lion}`,
      reason: `${zebra} asked`,
    });
    const correct = await correction({ customerKey: lion });
    expect(await correct()).toMatchObject({ ok: true });
    const money = () =>
      world.rows("select amount_cents, status from commissions where program_id = ? order by id", world.programId);
    const before = await money();
    const names = { first: zebra, second: lion };
    for (const [i, who] of erased.entries()) await erase(names[who as keyof typeof names], { at: now + 1 + i });
    const [one, ...others] = erased.map((who) => names[who as keyof typeof names]);
    expect(await rowsNaming(world, String(one), ...others)).toEqual([]);
    const [entry] = await world.rows(
      "select before, after from audit_entries where program_id = ? and action = 'sale.corrected'",
      world.programId,
    );
    const isRaw = (side: unknown, name: string) => JSON.parse(String(side)).customerKey === name;
    expect([isRaw(entry?.before, zebra), isRaw(entry?.after, lion)]).toEqual([
      !erased.includes("first"),
      !erased.includes("second"),
    ]);
    expect(await money()).toEqual(before);
    await expectLedgerConsistent(world);
  },
);

test.each([
  ["customer", { customerKey: "right-1" }],
  ["amount", { amountCents: 5_000 }],
  ["instant", { occurredAt: now - 2 * day }],
])(
  "a sale with a coupon keeps its partner when it is corrected after its customer's erasure: to another %s",
  async (_, changes) => {
    const world = await createWorld(own.server.url, {
      policies: [{ scope: "lifetime", holdDays: 0 }],
      coupons: [{ codes: ["BEN10"], partner: 0, validFrom: now - 3 * day }],
    });
    const calls = callsOf(world, own.proxy.url);
    const { saleId, commission } = await calls.sale("t1", now - day, {
      ...{ customerKey: "zebra-1", amountCents: 4_900, couponCodes: ["BEN10"] },
    });
    await erasingCallsOf(world, calls).erase("zebra-1");
    const found = await findCorrectableSale(databaseAt(own.server.url), world.programId, saleId);
    if (!found) throw new Error("there is no such sale");
    const call = {
      ...{ kind: "correct-sale" as const, operationId: randomBytes(8).toString("hex"), at: now + 2, actorId: "owner" },
      ...{ ...found, programId: world.programId, changes, reason: "wrong" },
      ...{ clicks: [], isDryRun: false },
    };
    expect(await calls.ledger.submit(calls.ledger.changeTask(call, now)).outcome).toMatchObject({ ok: true });
    const again = (await calls.commissions()).find(({ t }) => t === "t1~1");
    expect(again).toMatchObject({ partner_id: world.partner.id, status: commission.status });
    await expectLedgerConsistent(world);
  },
);
