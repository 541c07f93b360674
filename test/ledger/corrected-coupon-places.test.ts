import { expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

it("a corrected sale whose coupon attributes its customer again keeps the one_time place before a later sale", async () => {
  const lifetime = { scope: "lifetime", version: 2, effectiveFrom: daysAgo(4), createdAt: daysAgo(4) } as const;
  const { sell, correct, books, consistent } = await openShop(own.server.url, {
    policies: [{ scope: "one_time" }],
    partners: [{ policies: [lifetime] }, {}, {}],
  });
  await sell("t0", 1);
  await sell("t1", 12, "ANNA5");
  await correct("t1", { occurredAt: daysAgo(12) + 500 });
  expect(await books()).toMatchObject({
    "t1~1": ["anna", "coupon", "pending", 980, "chosen"],
    t0: ["anna", "coupon", "pending", 980],
  });
  await consistent();
});
