import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { stepSizes } from "#store/sales.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld, type WorldSettings } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

const open = async (settings: WorldSettings = {}) => {
  const world = await createWorld(database.url, { partners: [{}, {}], ...settings });
  const [alice, bob] = world.partners;
  if (alice === undefined || bob === undefined) throw new Error("a program has two partners");
  onTestFinished(() => expectLedgerConsistent(world));
  return { world, alice, bob, ...callsOf(world, database.url) };
};
type Open = Awaited<ReturnType<typeof open>>;

/** One more sale than moves in one step. */
const many = stepSizes.many.sales + 1;

/** Sends the sales one after the other. Concurrent ones would each wait for the previous one's round. */
const sellMany = async ({ sale }: Open, count: number, more: object = {}) => {
  for (let i = 0; i < count; i += 1) await sale(`t${i}`, daysAgo(20, i * 1_000), more);
};

const oneTime = { policies: [{ scope: "one_time" as const }] };
/** Bob's policy pays every sale, and Alice's pays only one. */
const oneOfAlice = {
  policies: [],
  partners: [{ policies: [{ scope: "one_time" as const }] }, { policies: [{ scope: "lifetime" as const }] }],
};

describe("while a customer's sales move to another partner in steps", () => {
  it.each(
    sampled([
      ["between two steps", "move first"],
      ["before the first step", "cancel first"],
    ]),
  )("a one_time policy pays the sale whose refund is canceled %s of the customer's move", async (_when, order) => {
    const calls = await open(oneOfAlice);
    const { lead, refund, click, alice, bob } = calls;
    await lead("browser", [click(bob, daysAgo(30))]);
    await sellMany(calls, many - 1, { isRecurring: true });
    await calls.sale("first", daysAgo(10));
    await refund("first", "rest", { refundId: "r" });
    const cancel = () => refund("first", "cancel", { refundId: "r" });
    if (order === "cancel first") await cancel();
    await lead("key", [click(alice, daysAgo(25))]);
    expect(await calls.pending()).toBe(1);
    if (order === "move first") await cancel();
    await calls.maintain();
    expect(await calls.pending()).toBe(0);
    const first = (await calls.commissions()).find(({ t }) => t === "first");
    expect(first).toMatchObject({ partner_id: alice.id, status: "pending", amount_cents: 200 });
  });

  it("all sales of a moving customer are decided by the states at the time of the move, even if the partner is paused before the last step", {
    tags: "soak",
  }, async () => {
    const calls = await open();
    const { lead, click, alice, bob, world } = calls;
    await lead("browser", [click(bob, daysAgo(30))]);
    await sellMany(calls, many);
    await lead("key", [click(alice, daysAgo(25))]);
    await world.change({ sql: "update partners set status = 'paused' where id = ?", args: [alice.id] });
    const next = callsOf(world, database.url);
    await next.maintain();
    const found = await next.commissions();
    expect(found.map(({ partner_id, status }) => [partner_id, status])).toEqual(
      Array(many).fill([alice.id, "approved"]),
    );
  });

  it("all sales of a moving customer move and are approved when their hold ends, even if the program is archived before the last step", {
    tags: "soak",
  }, async () => {
    const calls = await open();
    const { lead, click, alice, bob, world } = calls;
    await lead("browser", [click(bob, daysAgo(30))]);
    await sellMany(calls, many);
    const { saleId } = await calls.sale("held", daysAgo(1));
    await lead("key", [click(alice, daysAgo(25))]);
    expect(await calls.pending()).toBe(1);
    await world.change({
      sql: "update programs set archived_at = ? where id = ?",
      args: [daysAgo(0), world.programId],
    });
    const next = callsOf(world, database.url);
    await next.maintain();
    expect(await next.pending()).toBe(0);
    const found = await next.commissions();
    expect(new Set(found.map(({ partner_id }) => partner_id))).toEqual(new Set([alice.id]));

    const statusOfHeld = async () => (await next.commissions()).find(({ t }) => t === "held")?.status;
    expect(await statusOfHeld()).toBe("pending");
    for (const rule of [
      "commissions whose hold ends at another time than their policy says",
      "commissions whose explanation doesn't match the stored rows",
    ])
      world.forged.add(rule);
    await world.write({
      sql: "update commissions set hold_until = ? where sale_id = ?",
      args: [daysAgo(0) - 1, saleId],
    });
    await next.maintain();
    await expect.poll(statusOfHeld).toBe("approved");
  });

  it.each([101, 99])(
    "after %i renewals, a one_time policy pays the sale that caused the customer's move to another partner",
    { tags: "soak" },
    async (renewals) => {
      const calls = await open(oneTime);
      const { lead, click, alice, bob } = calls;
      await lead("browser", [click(bob, daysAgo(30))]);
      await sellMany(calls, renewals, { isRecurring: true });
      const shown = click(alice, daysAgo(25));
      const own = { clicks: [shown], clickId: shown.clickId, sentClickId: true };
      const { commission } = await calls.sale("own", daysAgo(1), own);
      expect(commission).toMatchObject({ status: "pending", amountCents: 200 });
      await calls.maintain();
    },
  );

  it("a sale that waits for the customer's move to another partner takes precedence for the one_time commission over the sale that caused the move", {
    tags: "soak",
  }, async () => {
    const calls = await open(oneTime);
    const { lead, click, alice, bob } = calls;
    await lead("browser", [click(bob, daysAgo(30))]);
    await sellMany(calls, many - 1, { isRecurring: true });
    await calls.sale("waits", daysAgo(10));
    const shown = click(alice, daysAgo(25));
    const own = { clicks: [shown], clickId: shown.clickId, sentClickId: true };
    const { commission } = await calls.sale("own", daysAgo(1), own);
    expect(commission).toMatchObject({ status: "void", reason: "recurring_not_covered" });
    await calls.maintain();
    const waited = (await calls.commissions()).find(({ t }) => t === "waits");
    expect(waited).toMatchObject({ partner_id: alice.id, status: "pending", amount_cents: 200 });
  });

  it("a sale sent before the last step of the customer's move is paid if no sale that still waits for the move earns a commission", {
    tags: "soak",
  }, async () => {
    const [ofOne, ofAll] = oneOfAlice.partners;
    const minimum = { policies: [{ ...ofOne?.policies[0], currency: "EUR", minSaleCents: 5_000 }] };
    const calls = await open({ policies: [], partners: [minimum, ofAll ?? {}] });
    const { lead, click, alice, bob } = calls;
    await lead("browser", [click(bob, daysAgo(30))]);
    await sellMany(calls, many);
    await lead("key", [click(alice, daysAgo(25))]);
    expect(await calls.pending()).toBe(1);
    const { commission } = await calls.sale("told meanwhile", daysAgo(1), { amountCents: 10_000 });
    expect(commission).toMatchObject({ status: "pending", amountCents: 2_000 });
    await calls.maintain();
  });

  it("the first of two sales sent before the last step of the customer's move is paid if the sales that still wait are renewals", {
    tags: "soak",
  }, async () => {
    const calls = await open(oneTime);
    const { lead, click, alice, bob } = calls;
    await lead("browser", [click(bob, daysAgo(30))]);
    await sellMany(calls, many, { isRecurring: true });
    await lead("key", [click(alice, daysAgo(25))]);
    const told = [await calls.sale("first", daysAgo(1)), await calls.sale("second", daysAgo(1, 1))];
    expect(told.map(({ commission }) => commission.status)).toEqual(["pending", "void"]);
    await calls.maintain();
  });

  it("an approval that confirms the sales waiting for the customer's move doesn't block a one_time commission that none of them can earn", {
    tags: "soak",
  }, async () => {
    const calls = await open(oneTime);
    const { lead, click, bob, refund } = calls;
    await lead("browser", [click(bob, daysAgo(30))]);
    await sellMany(calls, many);
    await refund("t0", "rest");
    const { commission, commissionId } = await calls.sale("next", daysAgo(1));
    expect(commission.status).toBe("pending");
    expect(await calls.decide(commissionId, "approved")).toMatchObject({ ok: true });
    expect(await calls.pending()).toBe(1);
    await calls.maintain();
  });
});

it.each([
  ["another partner's older click", "alice"],
  ["an older click of the same partner", "bob"],
] as const)("a sale that is reported late with %s is decided as of the time of the sale", async (_, code) => {
  const { lead, sale, click, commissions, ...partners } = await open();
  await lead("browser", [click(partners.bob, daysAgo(3))]);
  await sale("now", daysAgo(0));
  const older = click(partners[code], daysAgo(70));
  await sale("late", daysAgo(30), { clicks: [older], clickId: older.clickId, sentClickId: true });
  const partner_id = partners[code].id;
  expect(await commissions()).toMatchObject([
    { t: "late", partner_id, status: "approved", is_unconfirmed: 0 },
    { t: "now", partner_id, is_unconfirmed: 0 },
  ]);
});

it("a customer who returns to a partner that rejected their sale stays with this partner, and earns no second one_time commission", async () => {
  const calls = await open(oneTime);
  const { lead, click, alice, bob, decide } = calls;
  await lead("browser", [click(bob, daysAgo(30))]);
  const first = await calls.sale("first", daysAgo(10));
  await decide(first.commissionId, "rejected");
  await lead("key", [click(alice, daysAgo(25))]);
  await lead("key", [click(bob, daysAgo(20))]);
  const second = await calls.sale("second", daysAgo(9));
  expect(second.commission).toMatchObject({ status: "void", reason: "recurring_not_covered" });
  expect(await lead("key", [click(alice, daysAgo(15))])).toMatchObject({ partnerCode: bob.code });
});

it("a server's lead with the click of a browser's lead and a newer click gets the same response when repeated", async () => {
  const { lead, click, alice, bob } = await open();
  const shown = click(alice, daysAgo(30));
  await lead("browser", [shown], "c1", { at: daysAgo(10), occurredAt: daysAgo(10) });
  const both = [shown, click(bob, daysAgo(5))];
  const answers = [await lead("key", both), await lead("key", both)];
  expect(answers).toMatchObject([{ partnerCode: alice.code }, { partnerCode: alice.code, repeat: "duplicate" }]);
});

const models = [
  ["last_click", [10, 3], 5],
  ["first_click", [23, 19], 17],
] as const;

it.each(sampled(models))(
  "a browser's lead doesn't change what an earlier lead with the program's key decided: %s",
  async (model, days, leadDays) => {
    const orders = ["KS", "SK", "BKS", "BSK", "KBS", "KSB", "SBK", "SKB"];
    const ends: unknown[] = [];
    for (const order of orders) {
      const program = { attributionModel: model, attributionWindowDays: 20 };
      const { lead, sale, click, alice, bob, commissions } = await open({ program });
      const [a, b] = [click(alice, daysAgo(days[0])), click(bob, daysAgo(days[1]))];
      const say: Readonly<Record<string, () => Promise<unknown>>> = {
        K: () => lead("key", [a, b], "c1", { occurredAt: daysAgo(leadDays) }),
        B: () => lead("browser", [b]),
        S: () => sale("s", daysAgo(leadDays - 1)),
      };
      for (const call of order) await say[call]?.();
      const [commission] = await commissions();
      ends.push([order, commission?.partner_id === alice.id, commission?.amount_cents, commission?.is_unconfirmed]);
    }
    expect(ends).toEqual(orders.map((order) => [order, true, 200, 0]));
  },
);

it("a refund that rounds to 0 cents of commission is applied again when its sale is attributed later", async () => {
  const { sale, lead, click, alice, refund, commissions } = await open();
  await sale("s", daysAgo(2), { amountCents: 7 });
  await refund("s", "amount", { refundId: "r", cents: 1, chargeTotalCents: 500 });
  await lead("key", [click(alice, daysAgo(5))], "c1", { occurredAt: daysAgo(4) });
  expect(await commissions()).toMatchObject([{ partner_id: alice.id, amount_cents: 1 }]);
});

it("a refund that counts because another refund was canceled is applied again when its sale is attributed later", async () => {
  const { lead, click, alice, refund, sale, commissions, world } = await open();
  await sale("s", daysAgo(2));
  await refund("s", "rest", { refundId: "r1" });
  expect(await refund("s", "amount", { refundId: "r2", cents: 100 })).toMatchObject({ status: "skipped" });
  await refund("s", "cancel", { refundId: "r1" });
  expect(await world.audit()).toEqual([]);
  await lead("key", [click(alice, daysAgo(5))], "c1", { occurredAt: daysAgo(4) });
  expect(await commissions()).toMatchObject([{ partner_id: alice.id, amount_cents: 180 }]);
});
