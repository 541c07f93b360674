import { expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

const policies = [{ minSaleCents: 2_000, currency: "EUR" }];
const small = { amountCents: 1_000, couponCodes: ["ANNA5"] };

it("a coupon doesn't bind a customer again whose sale with its partner earned nothing before they left", async () => {
  const { sale, sell, books, balances, consistent } = await openShop(own.server.url, { policies });
  await sale("t1", daysAgo(3), small);
  expect(await books()).toMatchObject({ t1: ["anna", "coupon", "void", 0, "chosen"] });
  await sell("t2", 5, "BEN10");
  await sell("t3", 7, "ANNA5");
  expect(await books()).toMatchObject({
    t1: ["ben", "coupon", "void", 0, "outranked"],
    t3: [null, "no_click", "void", 0, "outranked"],
  });
  expect(await balances()).toEqual({ ben: 980 });
  await consistent();
});

it("nor does the sale, once the one by whose coupon they left is corrected away", async () => {
  const { sale, sell, correct, books, balances, consistent } = await openShop(own.server.url, { policies });
  await sale("t1", daysAgo(3), small);
  await sell("t2", 5, "BEN10");
  await correct("t2", { customerKey: "c2" });
  expect(await books()).toMatchObject({ t1: [null, "no_click", "void", 0, "outranked"] });
  expect(await balances()).toEqual({ ben: 980 });
  await consistent();
});
