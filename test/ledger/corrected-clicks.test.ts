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

it.each([{ amountCents: 500 }, { occurredAt: daysAgo(2) }])(
  "a sale outside the window keeps its partner if it is corrected after the sale within the window was removed: %o",
  async (changes) => {
    const { click, sell, lead, correct, books, consistent } = await openShop(own.server.url, {
      program: { attributionWindowDays: 10, windowUntil: "lead" },
    });
    await sell("t1", 3);
    await sell("t2", 19);
    await lead("key", [click(anna, 28)], "c1", { occurredAt: daysAgo(3) });
    await correct("t2", { customerKey: "c2" });
    await correct("t1", changes);
    const cents = "amountCents" in changes ? 100 : 980;
    expect(await books()).toMatchObject({ "t1~1": ["anna", "click", "pending", cents] });
    await sell("t3", 1);
    expect(await books()).toMatchObject({ t3: ["anna", "click", "pending", 980] });
    await consistent();
  },
);
