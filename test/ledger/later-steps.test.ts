/** @module-tag soak */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { noTerms } from "#domain/commission.ts";
import { stepSizes } from "#store/sales.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld, type WorldSettings } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

const open = async (settings: WorldSettings = {}) => {
  const world = await createWorld(database.url, { partners: [{}, {}, {}], ...settings });
  const [alice, bob, carol] = world.partners;
  if (alice === undefined || bob === undefined || carol === undefined) throw new Error("a program has three partners");
  return { world, alice, bob, carol, ...callsOf(world, database.url) };
};
const many = stepSizes.many.sales + 1;

it("when a customer moves again before their sales have moved, the remaining sales are decided by the new partner's state", async () => {
  const calls = await open({ partners: [{ status: "paused" }, {}, {}] });
  const { lead, sale, click, alice, bob, carol, decide } = calls;
  await lead("browser", [click(bob, daysAgo(30))]);
  for (let i = 0; i < many; i += 1) {
    const { commissionId } = await sale(`t${i}`, daysAgo(20, i * 1_000));
    if (i < stepSizes.many.sales) await decide(commissionId, "rejected");
  }
  await lead("key", [click(alice, daysAgo(25))]);
  expect(await calls.pending()).toBe(1);
  expect(await lead("key", [click(carol, daysAgo(24))])).toMatchObject({ partnerCode: carol.code, repeat: "moved" });
  await calls.maintain();
  expect(await calls.pending()).toBe(0);
  const last = (await calls.commissions()).at(-1);
  expect(last).toMatchObject({ partner_id: carol.id, amount_cents: 200 });
});

it("after a call that doesn't move the customer, the remaining sales are still decided by the partner's state at the time of the move", {
  tags: "soak",
}, async () => {
  const calls = await open();
  const { lead, sale, click, alice, bob, decide, world, ledger } = calls;
  await lead("browser", [click(bob, daysAgo(30))]);
  for (let i = 0; i < many; i += 1) {
    const { commissionId } = await sale(`t${i}`, daysAgo(20, i * 1_000));
    if (i < stepSizes.many.sales) await decide(commissionId, "rejected");
  }
  const shown = [click(alice, daysAgo(25))];
  await lead("key", shown);
  expect(await calls.pending()).toBe(1);
  const paused = ledger.changeTask(
    {
      kind: "update-partner",
      operationId: randomBytes(8).toString("hex"),
      at: daysAgo(0),
      programId: world.programId,
      actorId: "a",
      partnerId: alice.id,
      changes: { status: "paused" },
    },
    daysAgo(0),
  );
  expect(await ledger.submit(paused).outcome).toMatchObject({ ok: true });
  await lead("key", shown);
  await calls.maintain();
  expect(await calls.pending()).toBe(0);
  const last = (await calls.commissions()).at(-1);
  expect(last).toMatchObject({ partner_id: alice.id, amount_cents: 200 });
});

it("all sales of a move are decided by the policies in force at the time of the move", { tags: "soak" }, async () => {
  const calls = await open({ policies: [] });
  const { lead, sale, click, alice, bob, ledger, world } = calls;
  await lead("browser", [click(bob, daysAgo(30))]);
  for (let i = 0; i < many; i += 1) await sale(`t${i}`, daysAgo(20, i * 1_000));
  await lead("key", [click(alice, daysAgo(25))]);
  expect(await calls.pending()).toBe(1);
  const set = await ledger.submit(
    ledger.changeTask(
      {
        kind: "set-policy",
        operationId: randomBytes(8).toString("hex"),
        at: daysAgo(0, 10_000),
        programId: world.programId,
        actorId: "a",
        policy: { ...noTerms, type: "percent", rateBps: 2_000, scope: "lifetime", holdDays: 15, partnerId: null },
      },
      daysAgo(0, 10_000),
    ),
  ).outcome;
  expect(set).toMatchObject({ ok: true });
  const later = { now: () => daysAgo(0, 120_000), sleep: async () => {}, random: () => 0.5 };
  await ownLedger(database.url, later).loop.maintain();
  expect(await calls.pending()).toBe(0);
  expect(await world.audit()).toEqual([]);
  const found = await calls.commissions();
  expect(new Set(found.map(({ status }) => status)).size).toBe(1);
});
