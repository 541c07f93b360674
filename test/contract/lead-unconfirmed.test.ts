import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { at, createProgramFixture, daysAgo, stateOf } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

const dayOf = (daysBefore: number) => at(daysAgo(daysBefore)).slice(0, 10);

/** A browser sends Bob's click for a customer of Alice, before the customer's first sale of 10.00 is recorded. */
async function claimed(settings: WorldSettings = {}, soldDaysAgo = 0) {
  const shop = await createSalesFixture(settings);
  const { browserLead, click, bob, sell } = shop;
  await browserLead({ customer_key: "c1", click_id: click(bob, daysAgo(soldDaysAgo + 1)) });
  const { body } = await sell({ transaction_id: "first", occurred_at: at(daysAgo(soldDaysAgo)) });
  expect(body).toMatchObject({ partner_code: bob.code, commission: { status: "pending", unconfirmed: true } });
  return { shop, sale: body };
}

const { a, b } = { a: "alice", b: "bob" } as const;

describe("a customer attributed only by a browser", () => {
  it("a customer attributed only by a browser moves, with their sale, to another partner if a lead with the program's key has that partner's click", async () => {
    const { shop, sale } = await claimed({}, 3);
    const { lead, click, alice, bob, sell, countedLeads } = shop;
    const moved = await lead({ customer_key: "c1", click_id: click(alice, daysAgo(4)) });
    const { sale_id, commission_id } = sale;
    expect(moved).toMatchObject({
      partner_code: alice.code,
      moved: true,
      attributed_sales: [{ sale_id, commission_id }],
    });

    const { body: next } = await sell({ transaction_id: "next" });
    expect(next).toMatchObject({ partner_code: alice.code, commission: { unconfirmed: false } });
    expect(await shop.saleRow("first")).toMatchObject({ id: sale_id, partner_id: alice.id, partner_code: alice.code });
    expect(await shop.commission(commission_id)).toMatchObject({
      partner_id: alice.id,
      status: "pending",
      is_unconfirmed: 0,
      amount_cents: 200,
    });
    expect(await shop.booked()).toEqual([
      [b, "earned", 200, dayOf(3)],
      [b, "moved", -200, dayOf(3)],
      [a, "moved", 200, dayOf(3)],
      [a, "earned", 200, dayOf(0)],
    ]);
    expect([await countedLeads(alice), await countedLeads(bob)]).toEqual([1, 0]);
  });

  it("a customer attributed only by a browser moves, with all of their sales, to another partner if a sale with the program's key has that partner's click", async () => {
    const { shop, sale } = await claimed({}, 3);
    const { click, alice, sell } = shop;
    const { body: second } = await sell({ transaction_id: "second", occurred_at: at(daysAgo(1)) });
    const { body: third } = await sell({ customer_key: "c1", click_id: click(alice, daysAgo(9)) });
    expect(third).toMatchObject({ partner_code: alice.code, commission: { unconfirmed: false } });
    for (const { commission_id } of [sale, second, third]) {
      const hers = { partner_id: alice.id, is_unconfirmed: 0, amount_cents: 200 };
      expect(await shop.commission(commission_id)).toMatchObject(hers);
    }
    expect(await shop.booked()).toEqual(
      expect.arrayContaining([
        [b, "moved", -200, dayOf(3)],
        [a, "moved", 200, dayOf(3)],
        [b, "moved", -200, dayOf(1)],
        [a, "moved", 200, dayOf(1)],
        [a, "earned", 200, dayOf(0)],
      ]),
    );
  });

  it("if a customer attributed only by a browser moves to another partner, their lead, sale and refund count for the new partner, each on its own day", async () => {
    const { shop } = await claimed({}, 5);
    const { lead, refund, click, alice, bob, world } = shop;
    await refund({ transaction_id: "first", refund_amount_cents: 400, occurred_at: at(daysAgo(2)) });
    await lead({ customer_key: "c1", click_id: click(alice, daysAgo(9)) });
    const counted = await world.rows(
      `select day, sum(leads) as leads, sum(sales) as sales, sum(revenue_cents) as revenue, sum(refunds) as refunds,
         sum(refunded_cents) as refunded, sum(commission_cents) as commission
       from daily_counts where program_id = ? and partner_id = ? group by day order by day`,
      world.programId,
      alice.id,
    );
    expect(counted).toMatchObject([
      { day: dayOf(5), leads: 0, sales: 1, revenue: 1_000, refunds: 0, refunded: 0, commission: 120 },
      { day: dayOf(2), leads: 0, sales: 0, revenue: 0, refunds: 1, refunded: 400, commission: 0 },
      { day: dayOf(0), leads: 1, sales: 0, revenue: 0, refunds: 0, refunded: 0, commission: 0 },
    ]);
    const [left] = await world.rows(
      `select sum(leads) as leads, sum(sales) as sales, sum(revenue_cents) as revenue, sum(refunds) as refunds,
         sum(refunded_cents) as refunded, sum(commission_cents) as commission
       from daily_counts where program_id = ? and partner_id = ?`,
      world.programId,
      bob.id,
    );
    expect(left).toMatchObject({ leads: 0, sales: 0, revenue: 0, refunds: 0, refunded: 0, commission: 0 });
  });

  it("a customer attributed only by a browser who moved to another partner is locked to that partner", async () => {
    const { shop } = await claimed();
    const { lead, click, alice, bob } = shop;
    await lead({ customer_key: "c1", click_id: click(alice, daysAgo(2)) });
    const again = await lead({ customer_key: "c1", click_id: click(bob, daysAgo(1)) });
    expect(again).toMatchObject({ partner_code: alice.code, duplicate: true });
    const { body } = await shop.sell({ customer_key: "c1", click_id: click(bob, daysAgo(1)) });
    expect(body).toMatchObject({ partner_code: alice.code });
  });
});

describe("a call with a key and several clicks", () => {
  const bobs = (days: number) => ({ name: "bob", days }) as const;
  const alices = (days: number) => ({ name: "alice", days }) as const;

  it.each([
    ["last_click", 7, [bobs(20), alices(3)], "alice"],
    ["last_click", 60, [bobs(20), alices(3)], "alice"],
    ["last_click", 60, [alices(20), bobs(3)], "bob"],
    ["first_click", 7, [bobs(20), alices(3)], "alice"],
    ["first_click", 60, [bobs(20), alices(3)], "bob"],
    ["first_click", 60, [alices(20), bobs(3)], "alice"],
  ] as const)(
    "after a lead with the program's key about a customer attributed by a browser, with the model %s, a window of %i days and clicks %j, the partner is %s",
    async (attributionModel, attributionWindowDays, clicks, winner) => {
      const { shop, sale } = await claimed({ program: { attributionModel, attributionWindowDays } });
      const click_ids = clicks.map(({ name, days }) => shop.click(shop[name], daysAgo(days)));
      const reply = await shop.lead({ customer_key: "c1", click_ids });
      expect(reply).toMatchObject({ partner_code: shop[winner].code });
      const commission = { partner_id: shop[winner].id, is_unconfirmed: 0, amount_cents: 200 };
      expect(await shop.commission(sale.commission_id)).toMatchObject(commission);
    },
  );
});

describe("a customer attributed only by a browser, after a call with a key and an unusable click", () => {
  const told: [string, (shop: SalesFixture) => JsonObject | Promise<JsonObject>][] = [
    ["of the same partner that has expired", ({ click, bob }) => ({ click_ids: [click(bob, daysAgo(70))] })],
    ["of another partner that has expired", ({ click, alice }) => ({ click_id: click(alice, daysAgo(70)) })],
    ["later than the first sale", ({ click, alice }) => ({ click_id: click(alice, daysAgo(1)) })],
    ["of the test book", ({ click, alice }) => ({ click_id: click(alice, daysAgo(9), true) })],
    ["that is forged", () => ({ click_id: "forged" })],
    [
      "of another program",
      async () => {
        const other = await createProgramFixture();
        return { click_id: other.click(other.alice, daysAgo(9)) };
      },
    ],
  ];
  const keptOf = async (shop: SalesFixture) => {
    const { clicks: _, ...kept } = await stateOf(shop);
    return kept;
  };

  it.each(told)(
    "a customer attributed only by a browser keeps their partner after a lead with the program's key and a click %s",
    async (_what, clicksOf) => {
      const { shop } = await claimed({}, 3);
      const clicks = await clicksOf(shop);
      const before = await keptOf(shop);
      const reply = await shop.lead({ customer_key: "c1", ...clicks });
      expect(reply).toMatchObject({ attributed: true, partner_code: shop.bob.code, duplicate: true });
      expect(await keptOf(shop)).toEqual(before);
    },
  );

  it.each(told)(
    "a customer attributed only by a browser keeps their partner after a sale with the program's key and a click %s",
    async (_what, clicksOf) => {
      const { shop, sale } = await claimed({}, 3);
      const clicks = await clicksOf(shop);
      const before = await shop.commission(sale.commission_id);
      const { body } = await shop.sell({ customer_key: "c1", ...clicks });
      expect(body).toMatchObject({ partner_code: shop.bob.code, commission: { unconfirmed: true, status: "pending" } });
      expect(await shop.commission(sale.commission_id)).toEqual(before);
    },
  );
});

describe("a lead from a browser", () => {
  const answer = (partner_code: string) => ({
    success: true,
    message: "Lead tracked successfully",
    attributed: true,
    partner_code,
  });

  it("a lead from a browser receives the same response for any state of the customer, and changes nothing", async () => {
    const { shop } = await claimed();
    const { browserLead, lead, click, alice, bob } = shop;
    const ask = async (partner: typeof alice) => {
      const before = await stateOf(shop);
      expect(await browserLead({ customer_key: "c1", click_id: click(partner) })).toEqual(answer(partner.code));
      expect(await stateOf(shop)).toEqual(before);
    };
    await ask(alice);
    await ask(bob);
    await lead({ customer_key: "c1", click_id: click(alice, daysAgo(2)) });
    await ask(alice);
    await ask(bob);
  });

  it("a lead from a browser attributes no customer if leads must come from a server", async () => {
    const shop = await createSalesFixture({ program: { leadAuth: "server_required" } });
    const { browserLead, lead, sell, click, alice, bob, countedLeads } = shop;
    const claim = await browserLead({ customer_key: "c1", click_id: click(bob) });
    expect(claim).toMatchObject({ success: true, provisional: true });
    const { body: first } = await sell();
    expect(first).toMatchObject({ attributed: false, reason: "customer_not_found" });
    await lead({ customer_key: "c1", click_id: click(alice, daysAgo(2)) });
    const confirmed = { partner_id: alice.id, is_unconfirmed: 0, amount_cents: 200 };
    expect(await shop.commission(first.commission_id)).toMatchObject(confirmed);
    expect([await countedLeads(alice), await countedLeads(bob)]).toEqual([1, 0]);
  });
});
