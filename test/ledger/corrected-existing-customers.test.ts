import { expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { ben, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

it("a lead's click from after the first sale attributes no sale once the sale whose coupon attributed the customer moves to another customer", async () => {
  const { sell, refer, correct, books, customer, consistent } = await openShop(own.server.url);
  await refer(ben, 19, 7);
  await sell("t1", 25, "CLARA5");
  await sell("t2", 28);
  await correct("t1", { customerKey: "c2" });
  expect(await customer()).toMatchObject({ first_attributed_sale_at: null });
  await sell("t3", 1);
  expect(await books()).toMatchObject({
    t2: [null, "no_click", "void", 0],
    t3: [null, "existing_customer", "void", 0],
  });
  await consistent();
});
