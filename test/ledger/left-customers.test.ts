import { describe, expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

async function follow({ pending, maintain }: Awaited<ReturnType<typeof openShop>>): Promise<void> {
  while ((await pending()) > 0) await maintain();
}

const rules = [{ when: { isFirst: true }, rateBps: 5_000 }];

/** Sales of a customer with more than a few others follow in later steps. */
describe("a sale that is recorded before the sales follow whose customer a corrected sale has left", () => {
  it.each([2, 8])("isn't the customer's first, with %i others", async (others) => {
    const shop = await openShop(own.server.url, { policies: [{ rules }] });
    const { sell, correct, books, consistent } = shop;
    await sell("t1", 14, "BEN10");
    for (let i = 0; i < others; i += 1) await sell(`o${i}`, 13 - i, "BEN10");
    await correct("t1", { customerKey: "c2" });
    await sell("t2", 1);
    await consistent();
    await follow(shop);
    expect(await books()).toMatchObject({
      "t1~1": ["ben", "coupon", "pending", 2_450, "chosen"],
      o0: ["ben", "coupon", "pending", 980, "chosen"],
      t2: ["ben", "coupon", "pending", 980],
    });
    await consistent();
  });

  it.each([1, 8])("is paid once, if the sale that was leaves the partner, with %i others", async (others) => {
    const shop = await openShop(own.server.url, { policies: [{ scope: "one_time" }] });
    const { sale, sell, correct, books, customer, consistent } = shop;
    const byCoupon = { amountCents: 4_900, couponCodes: ["BEN10"], isRecurring: true };
    await sale("t1", daysAgo(14), byCoupon);
    await sale("t2", daysAgo(12), byCoupon);
    await sell("t3", 13);
    for (let i = 0; i < others; i += 1) await sell(`o${i}`, 11 - i);
    expect(await books()).toMatchObject({ t3: ["ben", "coupon", "pending", 980] });
    await correct("t1", { customerKey: "c2" });
    await sell("t4", 1);
    await sell("t5", 1);
    await consistent();
    await follow(shop);
    expect(await books()).toMatchObject({
      t3: [null, "no_click", "void", 0],
      o0: ["ben", "coupon", "void", 0],
      t4: ["ben", "coupon", "pending", 980],
      t5: ["ben", "coupon", "void", 0],
    });
    expect(await customer()).toMatchObject({ first_attributed_sale_at: daysAgo(12) });
    await consistent();
  });
});
