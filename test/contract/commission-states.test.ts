import { describe, expect, it } from "vitest";
import { at, day, daysAgo } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

const statusOf = async (shop: SalesFixture, commissionId: number) => (await shop.commission(commissionId)).status;
const eventually = (shop: SalesFixture, commissionId: number) =>
  expect.poll(() => statusOf(shop, commissionId), { interval: 100 });

describe("a commission", () => {
  it.each([
    ["as pending until its hold ends", 10, 9, "pending"],
    ["as approved if its hold is over when the sale is sent", 10, 11, "approved"],
    ["as approved without a hold", 0, 0, "approved"],
    ["as pending for the longest hold", 365, 364, "pending"],
  ])("a commission starts %s", async (_what, holdDays, soldDaysAgo, status) => {
    const shop = await createSalesFixture({ policies: [{ holdDays }] });
    await shop.refer("c1", { clickAt: daysAgo(soldDaysAgo + 1) });
    const { body } = await shop.sell({ occurred_at: at(daysAgo(soldDaysAgo)) });
    expect(body.commission).toMatchObject({ status, hold_until: at(daysAgo(soldDaysAgo) + holdDays * day) });
    expect(await shop.commission(body.commission_id)).toMatchObject({ status, is_unconfirmed: 0 });
  });

  it("a commission whose only evidence is a lead from a browser is unconfirmed, and pending even without a hold", async () => {
    const shop = await createSalesFixture({ policies: [{ holdDays: 0 }] });
    await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.alice) });
    const { body } = await shop.sell();
    expect(body.commission).toMatchObject({ status: "pending", unconfirmed: true, amount_cents: 200 });
  });

  it.each(["alice", "bob"] as const)(
    "an unconfirmed commission is confirmed by a sale with a click on partner %s's link, and attributed to this partner",
    async (name) => {
      const shop = await createSalesFixture();
      const partner = shop[name];
      await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.alice) });
      const { commission_id } = (await shop.sell()).body;
      await shop.sell();
      expect(await shop.commission(commission_id)).toMatchObject({ is_unconfirmed: 1, partner_id: shop.alice.id });
      const { body } = await shop.sell({ customer_key: "c1", click_id: shop.click(partner, daysAgo(2)) });
      expect(body).toMatchObject({ partner_code: partner.code, commission: { unconfirmed: false } });
      const confirmed = { is_unconfirmed: 0, status: "pending", partner_id: partner.id, amount_cents: 200 };
      expect(await shop.commission(commission_id)).toMatchObject(confirmed);
    },
  );
});

it("a commission is approved automatically with its remaining amount when its hold ends, unless it is unconfirmed or reversed", {
  tags: "soak",
}, async () => {
  const shop = await createSalesFixture({ policies: [{ holdDays: 1 }] });
  const soldAt = at(Date.now() - day + 10_000);
  const click_id = shop.click(shop.alice, daysAgo(2));
  await shop.browserLead({ customer_key: "browser's", click_id });
  for (const customer_key of ["kept", "reversed", "in part"]) await shop.refer(customer_key, { clickAt: daysAgo(2) });
  const sell = async (customer_key: string) => {
    const { body } = await shop.sell({ customer_key, transaction_id: customer_key, occurred_at: soldAt });
    expect(body.commission.status).toBe("pending");
    return body.commission_id;
  };
  const [kept, unconfirmed] = [await sell("kept"), await sell("browser's")];
  const [reversed, inPart] = [await sell("reversed"), await sell("in part")];
  await shop.giveBack("reversed");
  await shop.giveBack("in part", { refund_amount_cents: 500 });
  expect(await statusOf(shop, kept)).toBe("pending");

  await eventually(shop, kept).toBe("approved");
  await eventually(shop, inPart).toBe("approved");
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(soldAt) + day);
  expect(await shop.commission(inPart)).toMatchObject({ amount_cents: 100 });
  expect(await statusOf(shop, reversed)).toBe("reversed");
  expect(await shop.commission(unconfirmed)).toMatchObject({ status: "pending", is_unconfirmed: 1 });

  await shop.lead({ customer_key: "browser's", click_id });
  await eventually(shop, unconfirmed).toBe("approved");
  expect(await shop.commission(unconfirmed)).toMatchObject({ is_unconfirmed: 0, amount_cents: 200 });
});
