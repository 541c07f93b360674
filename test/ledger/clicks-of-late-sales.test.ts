import { expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, ben, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

async function open(windowUntil: "lead" | "first_sale") {
  const shop = await openShop(own.server.url, { program: { attributionWindowDays: 10, windowUntil } });
  const sellBy = (transactionId: string, days: number, shown: ReturnType<typeof shop.click>) =>
    shop.sale(transactionId, daysAgo(days), {
      ...{ clicks: [shown], clickId: shown.clickId, sentClickId: true, amountCents: 4_900 },
    });
  return { ...shop, sellBy };
}

it("a sale's click attributes a customer who had bought before their lead's click", async () => {
  const { sell, sellBy, click, refer, books, consistent } = await open("lead");
  await refer(ben, 7, 1);
  await sell("t1", 37);
  await sellBy("t2", 13, click(anna, 40));
  expect(await books()).toMatchObject({
    t1: ["anna", "click", "approved", 980],
    t2: ["anna", "click", "pending", 980],
  });
  await consistent();
});

it("a sale's click attributes a customer whose lead's click is too old for the first sale", async () => {
  const { sellBy, click, refer, books, consistent } = await open("first_sale");
  await refer(ben, 31, 30);
  await sellBy("t1", 2, click(anna, 3));
  expect(await books()).toMatchObject({ t1: ["anna", "click", "pending", 980] });
  await consistent();
});
