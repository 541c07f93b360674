import { describe, expect, it } from "vitest";
import { isolatedService } from "../support/isolated-service.ts";
import { at, day, daysAgo, programFixture } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture, salesFixture } from "../support/sales-fixture.ts";

const explanationOf = async (shop: SalesFixture, commissionId: number) =>
  JSON.parse(String((await shop.commission(commissionId)).explanation));

describe("a stored commission", () => {
  it("a stored commission contains its amount, click, evidence, terms and policy", async () => {
    const policy = { rateBps: 2_550, maxCommissionCents: 100, currency: "EUR", holdDays: 7 } as const;
    const shop = await createSalesFixture({
      program: { attributionModel: "first_click", attributionWindowDays: 30 },
      policies: [
        { type: "none", effectiveFrom: daysAgo(90) },
        { ...policy, effectiveFrom: daysAgo(60) },
      ],
    });
    const click_id = shop.click(shop.alice, daysAgo(9.5));
    const { body } = await shop.sell({
      transaction_id: "t",
      customer_key: "c1",
      click_id,
      occurred_at: at(daysAgo(5)),
    });
    const { created_at, policy_id } = await shop.commission(body.commission_id);
    expect(await explanationOf(shop, body.commission_id)).toEqual({
      decidedAt: created_at,
      decision: "earned",
      sale: { transactionId: "t", amountCents: 1_000, currency: "EUR", occurredAt: daysAgo(5) },
      partner: { id: shop.alice.id, code: shop.alice.code },
      click: { id: click_id, at: daysAgo(9.5) },
      considered: null,
      clickAgeDays: 4,
      evidence: "key",
      model: "first_click",
      windowDays: 30,
      windowUntil: "lead",
      bound: { by: "sale", at: daysAgo(5) },
      candidates: [
        {
          ...{ clickId: click_id, at: daysAgo(9.5), partnerCode: shop.alice.code },
          ...{ outcome: "chosen", ageDays: 4, windowDays: 30 },
        },
      ],
      policy: expect.objectContaining({
        ...policy,
        id: policy_id,
        version: 2,
        type: "percent",
        scope: "lifetime",
        partnerId: null,
      }),
      baseCents: 1_000,
      uncappedCents: 255,
      capped: true,
      rounding: "half_up",
      amountCents: 100,
      holdUntil: daysAgo(5) + 7 * day,
    });
  });

  it("a stored commission says that only a browser reported its evidence", async () => {
    const shop = await createSalesFixture();
    await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.alice) });
    const { body } = await shop.sell();
    expect(await explanationOf(shop, body.commission_id)).toMatchObject({ evidence: "browser", decision: "earned" });
  });

  it("a stored commission contains the reason why its partner earns nothing", async () => {
    const shop = await createSalesFixture({ policies: [{ minSaleCents: 1_001, currency: "EUR" }] });
    await shop.refer("c1");
    const { body } = await shop.sell();
    expect(await explanationOf(shop, body.commission_id)).toMatchObject({
      decision: "void",
      reason: "below_minimum",
      partner: { code: shop.alice.code },
      policy: { version: 1, minSaleCents: 1_001 },
    });
  });

  it("a stored commission of a sale without a partner contains the reason why the sale has no partner", async () => {
    const shop = await createSalesFixture();
    const click_id = shop.click(shop.alice, daysAgo(61));
    const { body } = await shop.sell({ customer_key: "c1", click_id });
    expect(await explanationOf(shop, body.commission_id)).toMatchObject({
      decision: "void",
      reason: "attribution_window_expired",
      clickAgeDays: 61,
      windowDays: 60,
      partner: null,
      click: null,
      considered: { click: { id: click_id, at: daysAgo(61) }, partner: { id: shop.alice.id, code: shop.alice.code } },
      policy: null,
    });
  });
});

describe("changes of settings", () => {
  const own = isolatedService();

  it("changes of settings don't change earlier commissions, and apply to new ones", async () => {
    const world = await own.world({ partners: [{}, {}], policies: [{ rateBps: 2_000 }] });
    const shop = salesFixture(programFixture(world, own.api()));
    await shop.refer("c1", { clickAt: daysAgo(9) });
    const { body } = await shop.sell({ transaction_id: "t", occurred_at: at(daysAgo(5)) });
    const before = await shop.commission(body.commission_id);
    await world.change(
      {
        sql: `insert into commission_policies (id, program_id, version, type, rate_bps, scope, hold_days, effective_from, created_at)
          select id + 1, program_id, version + 1, type, 100, 'one_time', 0, ?, ? from commission_policies where program_id = ?`,
        args: [daysAgo(1), daysAgo(1), world.programId],
      },
      {
        sql: `update programs set attribution_model = 'first_click', attribution_window_days = 1, currency = 'USD',
          timezone = 'Asia/Tokyo' where id = ?`,
        args: [world.programId],
      },
      { sql: "update partners set name = 'Another' where id = ?", args: [shop.alice.id] },
    );
    expect((await shop.sell()).body.commission).toMatchObject({ reason: "recurring_not_covered", currency: "USD" });
    expect((await shop.sell({ occurred_at: at(daysAgo(2)) })).body.commission).toMatchObject({ amount_cents: 200 });
    expect(await shop.commission(body.commission_id)).toEqual(before);

    expect((await shop.giveBack("t", { refund_amount_cents: 500 })).body).toMatchObject({
      commission_reversed_cents: 100,
    });
    expect(await shop.commission(body.commission_id)).toEqual({
      ...before,
      amount_cents: 100,
      event_seq: expect.any(Number),
    });
  });
});
