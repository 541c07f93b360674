import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { at, day, daysAgo } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

const integer = expect.toSatisfy(Number.isInteger);

async function expectRecorded(shop: SalesFixture, sale: { sale_id: number; commission_id: number }, entries: number) {
  const commissions = await shop.world.rows("select id from commissions where sale_id = ?", sale.sale_id);
  expect(commissions.map(({ id }) => id)).toEqual([sale.commission_id]);
  expect(await shop.entries(sale.commission_id)).toHaveLength(entries);
}

describe("a sale with a partner", () => {
  it("a sale with a partner earns a commission", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1");
    const sale = await shop.sell({ occurred_at: at(daysAgo(0.5)) });
    expect(sale).toMatchObject({ status: 200 });
    expect(sale.body).toEqual({
      success: true,
      message: "Sale tracked successfully",
      sale_id: integer,
      commission_id: integer,
      is_recurring: false,
      attributed: true,
      partner_code: shop.alice.code,
      source: "click",
      commission: {
        amount_cents: 200,
        currency: "EUR",
        status: "pending",
        hold_until: at(daysAgo(0.5) + 15 * day),
        unconfirmed: false,
        held: false,
      },
    });
    await expectRecorded(shop, sale.body, 1);
  });

  const first = { occurred_at: at(daysAgo(40)) };
  it.each<[reason: string, WorldSettings, earlier: JsonObject[]]>([
    ["no_commission_policy", { policies: [] }, []],
    ["no_commission_policy", { policies: [{ type: "none" }] }, []],
    ["partner_inactive", { partners: [{ status: "paused" }, {}] }, []],
    ["program_inactive", { program: { status: "paused" } }, []],
    ["commission_duration_over", { policies: [{ scope: "recurring", durationMonths: 1 }] }, [first]],
    ["recurring_not_covered", { policies: [{ scope: "one_time" }] }, [first]],
    ["currency_mismatch", { policies: [{ type: "flat", amountCents: 1, currency: "USD" }] }, []],
    ["below_minimum", { policies: [{ minSaleCents: 1_001, currency: "EUR" }] }, []],
  ])("a sale with a partner has a void commission if none is due: %s", async (reason, settings, earlier) => {
    const shop = await createSalesFixture(settings);
    await shop.refer("c1", { clickAt: daysAgo(41) });
    for (const body of earlier) expect((await shop.sell(body)).body.commission.status).toBe("approved");
    const sale = await shop.sell();
    expect(sale).toMatchObject({ status: 200 });
    expect(sale.body).toEqual({
      success: true,
      message: "Sale tracked successfully",
      sale_id: integer,
      commission_id: integer,
      is_recurring: false,
      attributed: true,
      partner_code: shop.alice.code,
      source: "click",
      reason,
      commission: {
        amount_cents: 0,
        currency: "EUR",
        status: "void",
        hold_until: null,
        unconfirmed: false,
        held: false,
        reason,
      },
    });
    await expectRecorded(shop, sale.body, 0);
  });

  it("a sale ignores a partner or commission sent by the caller", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1");
    const wish = { partner_id: shop.bob.id, partner_code: shop.bob.code, commission_cents: 999, rate_bps: 9_000 };
    const { body } = await shop.sell({ ...wish, commission: { amount_cents: 999 } });
    expect(body).toMatchObject({ partner_code: shop.alice.code, commission: { amount_cents: 200 } });
  });
});

describe("a sale without a partner is recorded", () => {
  interface Case {
    readonly before?: (shop: SalesFixture) => Promise<unknown>;
    readonly sale: (shop: SalesFixture, other: SalesFixture) => JsonObject;
    readonly reason: string;
    readonly more?: JsonObject;
  }
  const clicked = (days: number) => (shop: SalesFixture) => ({
    customer_key: "c1",
    click_id: shop.click(shop.alice, daysAgo(days)),
  });

  it.each<[string, Case]>([
    ["of an unknown customer", { sale: () => ({ customer_key: "c1" }), reason: "customer_not_found" }],
    [
      "of a customer whose lead had no click",
      { before: (shop) => shop.lead({ customer_key: "c1" }), sale: () => ({}), reason: "no_click" },
    ],
    [
      "of a customer first recorded by an unattributed sale",
      { before: (shop) => shop.sell(), sale: () => ({}), reason: "no_click" },
    ],
    ["with a forged click", { sale: () => ({ customer_key: "c1", click_id: "forged" }), reason: "invalid_click_id" }],
    ["with only a forged click", { sale: () => ({ click_id: "forged" }), reason: "invalid_click_id" }],
    [
      "with a click of another program",
      {
        sale: (_, other) => ({ customer_key: "c1", click_id: other.click(other.alice) }),
        reason: "invalid_click_id",
      },
    ],
    [
      "with a click after the first sale",
      {
        before: (shop) => shop.sell({ occurred_at: at(daysAgo(9)) }),
        sale: clicked(8),
        reason: "existing_customer",
      },
    ],
    [
      "with an expired click",
      { sale: clicked(61.5), reason: "attribution_window_expired", more: { click_age_days: 61, window_days: 60 } },
    ],
  ])("a sale without a partner is recorded: %s", async (_what, { before, sale, reason, more = {} }) => {
    const [shop, other] = [await createSalesFixture(), await createSalesFixture()];
    await before?.(shop);
    const sold = await shop.sell(sale(shop, other));
    expect(sold).toMatchObject({ status: 200 });
    expect(sold.body).toEqual({
      success: true,
      message: "Sale recorded without attribution",
      sale_id: integer,
      commission_id: integer,
      is_recurring: false,
      attributed: false,
      reason,
      ...more,
      commission: {
        amount_cents: 0,
        currency: "EUR",
        status: "void",
        hold_until: null,
        unconfirmed: false,
        held: false,
        reason,
      },
    });
    await expectRecorded(shop, sold.body, 0);
  });
});
