import { describe, expect, it } from "vitest";
import { at, daysAgo, minute } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

describe("occurred_at", () => {
  async function sellAt(instant: number) {
    const shop = await createSalesFixture();
    const { status, body } = await shop.sell({ transaction_id: "t", occurred_at: at(instant) });
    return status === 200 ? { status, row: await shop.saleRow("t") } : { status, message: body.error.message };
  }

  it("the occurred_at of a sale is at most 400 days ago", async () => {
    expect(await sellAt(daysAgo(400, minute))).toMatchObject({ row: { occurred_at: daysAgo(400, minute) } });
    const message = "occurred_at is more than 400 days ago";
    expect(await sellAt(daysAgo(400, -minute))).toEqual({ status: 400, message });
  });

  it("an occurred_at of a sale up to 5 minutes ahead of the clock counts as the current time, and a later one is refused", async () => {
    const { row } = await sellAt(Date.now() + 4 * minute);
    expect(row?.occurred_at).toBe(row?.created_at);
    expect(Math.abs(Number(row?.created_at) - Date.now())).toBeLessThan(minute);
    const message = "occurred_at is in the future";
    expect(await sellAt(Date.now() + 6 * minute)).toEqual({ status: 400, message });
  });

  it("the occurred_at of a sale accepts any time zone offset", async () => {
    const shop = await createSalesFixture();
    const soldAt = Math.floor(daysAgo(2) / 1_000) * 1_000;
    const occurred_at = at(soldAt + 5.5 * 60 * minute).replace(".000Z", "+05:30");
    await shop.sell({ transaction_id: "t", occurred_at });
    expect(await shop.saleRow("t")).toMatchObject({ occurred_at: soldAt });
  });

  it("the occurred_at of a sale defaults to the current time", async () => {
    const shop = await createSalesFixture();
    await shop.sell({ transaction_id: "t" });
    const { occurred_at, created_at } = await shop.saleRow("t");
    expect(occurred_at).toBe(created_at);
  });
});

describe("the attribution window", () => {
  const sellAfterClick = async (shop: SalesFixture, customer_key: string, clickAt: number) =>
    (await shop.sell({ customer_key, click_id: shop.click(shop.alice, clickAt), occurred_at: at(daysAgo(5)) })).body;

  it("the attribution window lasts its number of days, of 24 hours each, from the click, including the last instant", async () => {
    const shop = await createSalesFixture({ program: { attributionWindowDays: 10 } });
    expect(await sellAfterClick(shop, "in", daysAgo(15))).toMatchObject({ attributed: true });
    expect(await sellAfterClick(shop, "out", daysAgo(15) - 1)).toMatchObject({
      attributed: false,
      reason: "attribution_window_expired",
      click_age_days: 10,
      window_days: 10,
    });
  });

  it("the attribution window treats a click up to 5 minutes after the sale as before the sale", async () => {
    const shop = await createSalesFixture();
    expect(await sellAfterClick(shop, "in", daysAgo(5, 5 * minute))).toMatchObject({ attributed: true });
    const out = await sellAfterClick(shop, "out", daysAgo(5, 5 * minute + 1));
    expect(out).toMatchObject({ attributed: false, reason: "no_click" });
  });

  it("the attribution window is checked at the lead by default, so that sales after the window are attributed", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1", { clickAt: daysAgo(70) });
    for (const days of [9, 1]) {
      const { body } = await shop.sell({ occurred_at: at(daysAgo(days)) });
      expect(body).toMatchObject({ attributed: true, commission: { amount_cents: 200 } });
    }
  });

  it("the attribution window with windowUntil first_sale is checked at the first sale, even if the lead was within the window", async () => {
    const shop = await createSalesFixture({ program: { windowUntil: "first_sale" } });
    await shop.refer("c1", { clickAt: daysAgo(70) });
    for (const days of [9, 1]) {
      expect((await shop.sell({ occurred_at: at(daysAgo(days)) })).body).toMatchObject({
        attributed: false,
        reason: "attribution_window_expired",
        click_age_days: 61,
        window_days: 60,
      });
    }
  });

  it("the attribution window doesn't limit later sales of an attributed customer", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1", { clickAt: daysAgo(390) });
    for (const days of [389, 200, 0]) {
      const { body } = await shop.sell({ occurred_at: at(daysAgo(days)) });
      expect(body).toMatchObject({ attributed: true, commission: { amount_cents: 200 } });
    }
  });
});
