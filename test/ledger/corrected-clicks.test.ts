import { expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, ben, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

async function open() {
  const shop = await openShop(own.server.url);
  const sellBy = (transactionId: string, days: number, shown: ReturnType<typeof shop.click>) =>
    shop.sale(transactionId, daysAgo(days), { clicks: [shown], clickId: shown.clickId, sentClickId: true });
  return { ...shop, sellBy };
}

it("when the first sale is corrected to a later time, a click from before the new first sale attributes the customer", async () => {
  const { click, sellBy, correct, books, consistent } = await open();
  const late = click(ben, 1);
  await sellBy("t1", 29, late);
  await sellBy("t2", 2, click(anna, 26));
  expect(await books()).toMatchObject({
    t1: [null, "no_click", "void", 0],
    t2: [null, "existing_customer", "void", 0],
  });
  await correct("t1", { occurredAt: daysAgo(0.5) }, [late]);
  expect(await books()).toMatchObject({
    t2: ["anna", "click", "pending", 200],
    "t1~1": ["anna", "click", "pending", 200],
  });
  await consistent();
});
