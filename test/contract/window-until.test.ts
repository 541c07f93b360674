import { describe, expect, it } from "vitest";
import { at, daysAgo } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

const expired = (click_age_days: number) => ({
  attributed: false,
  reason: "attribution_window_expired",
  click_age_days,
  window_days: 60,
});
const theirs = { attributed: true };

const open = (windowUntil: "lead" | "first_sale") => createSalesFixture({ program: { windowUntil } });
const leadAt = (shop: SalesFixture, clickDaysAgo: number, leadDaysAgo: number) =>
  shop.lead({
    customer_key: "c1",
    click_id: shop.click(shop.alice, daysAgo(clickDaysAgo)),
    occurred_at: at(daysAgo(leadDaysAgo)),
  });
const saleAt = async (shop: SalesFixture, days: number) => (await shop.sell({ occurred_at: at(daysAgo(days)) })).body;
const isAttributed = async (shop: SalesFixture) =>
  (await shop.all("sales")).map((sale) => sale.partner_id === shop.alice.id);

describe("an attribution window of 60 days", () => {
  it.each([
    ["lead", theirs],
    ["first_sale", expired(91)],
  ] as const)(
    "with windowUntil %s, a window of 60 days decides the first sale after a trial of 90 days",
    async (windowUntil, outcome) => {
      const shop = await open(windowUntil);
      expect(await leadAt(shop, 95, 94)).toMatchObject(theirs);
      expect(await saleAt(shop, 4)).toMatchObject(outcome);
      expect(await saleAt(shop, 1)).toMatchObject(outcome);
    },
  );

  it.each(["lead", "first_sale"] as const)(
    "with windowUntil %s, an attribution window of 60 days applies to the first sale if the customer has no lead",
    async (windowUntil) => {
      const shop = await open(windowUntil);
      const sell = async (customer_key: string, days: number) => {
        const click_id = shop.click(shop.alice, daysAgo(100));
        return (await shop.sell({ customer_key, click_id, occurred_at: at(daysAgo(days)) })).body;
      };
      expect(await sell("in", 40)).toMatchObject(theirs);
      expect(await sell("out", 39)).toMatchObject(expired(61));
    },
  );

  it.each(["lead", "first_sale"] as const)(
    "with windowUntil %s, an attribution window of 60 days doesn't limit sales after the first one",
    async (windowUntil) => {
      const shop = await open(windowUntil);
      await leadAt(shop, 200, 199);
      for (const days of [198, 100, 0]) expect(await saleAt(shop, days)).toMatchObject(theirs);
    },
  );
});

describe("attribution by the times of a lead and its sales", () => {
  it.each([
    // Times in days ago. The flags say whether the sales are attributed with `windowUntil` "lead", and with "first_sale".
    ["a lead within the window, with later sales", { click: 100, lead: 99, sales: [20, 10] }, true, false],
    ["a lead within the window, between the sales", { click: 100, lead: 60, sales: [70, 10] }, true, true],
    ["a lead after the window, with the first sale within it", { click: 100, lead: 30, sales: [70, 10] }, true, true],
    [
      "a lead after the window, and after a first sale that is also after the window",
      { click: 100, lead: 20, sales: [30] },
      false,
      false,
    ],
    ["a lead after the window, before the sales", { click: 100, lead: 30, sales: [20, 10] }, false, false],
    ["a lead after a first sale that is after the window", { click: 100, lead: 35, sales: [39, 10] }, false, false],
    ["a sale before the click", { click: 50, lead: 49, sales: [60, 40] }, false, false],
  ])(
    "attribution by the times of a lead and its sales gives the same result if the lead is sent last: %s",
    async (_what, { click, lead, sales }, untilLead, untilFirstSale) => {
      for (const [windowUntil, expected] of [
        ["lead", untilLead],
        ["first_sale", untilFirstSale],
      ] as const) {
        const late = await open(windowUntil);
        for (const days of sales) await saleAt(late, days);
        await leadAt(late, click, lead);
        expect(await isAttributed(late), `${windowUntil}, the lead told last`).toEqual(sales.map(() => expected));
      }
    },
  );

  it.each(["lead", "first_sale"] as const)(
    "with windowUntil %s, a lead sent before its sales attributes them if it is within the window, and not otherwise",
    async (windowUntil) => {
      const shop = await open(windowUntil);
      expect(await leadAt(shop, 100, 30)).toMatchObject(expired(70));
      expect(await saleAt(shop, 20)).toMatchObject({ attributed: false });
      const within = await open(windowUntil);
      await leadAt(within, 100, 99);
      await saleAt(within, 70);
      await saleAt(within, 10);
      expect(await isAttributed(within)).toEqual([true, true]);
    },
  );
});

describe("the explanation of a commission", () => {
  const explained = async (shop: SalesFixture, commissionId: number) =>
    JSON.parse(String((await shop.commission(commissionId)).explanation));

  it("the explanation of a commission contains the lead that attributed the customer, with the lead's own time, even if the lead was sent after the sale", async () => {
    const shop = await open("lead");
    const { commission_id } = await saleAt(shop, 10);
    await leadAt(shop, 95, 94);
    const bound = { by: "lead", at: daysAgo(94) };
    expect(await explained(shop, commission_id)).toMatchObject({ bound, windowUntil: "lead", clickAgeDays: 1 });
  });

  it("the explanation of a commission contains the sale that attributed the customer, with the age of the click at this sale", async () => {
    const shop = await open("first_sale");
    const click_id = shop.click(shop.alice, daysAgo(30));
    const { body } = await shop.sell({ customer_key: "c1", click_id, occurred_at: at(daysAgo(10)) });
    const bound = { by: "sale", at: daysAgo(10) };
    expect(await explained(shop, body.commission_id)).toMatchObject({
      bound,
      windowUntil: "first_sale",
      clickAgeDays: 20,
    });
  });
});
