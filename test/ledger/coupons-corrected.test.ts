import { describe, expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { ben, clara, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

describe("a corrected sale with a coupon", () => {
  it.each([clara, ben])("keeps the coupon's partner, whoever the customer was assigned to since", async (partner) => {
    const { world, sell, change, correct, balances, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    const partnerId = world.partners[partner]?.id ?? 0;
    await change({ kind: "assign-customer", customerKey: "c1", partnerId, since: null, payPast: false, reason: "r" });
    await correct("t1", { amountCents: 5_000 });
    expect(await balances()).toEqual({ ben: 1_000 });
    await consistent();
  });

  it("keeps the coupon's partner when it happened earlier than the customer's attribution", async () => {
    const { sell, decide, correct, books, balances, customer, consistent } = await openShop(own.server.url);
    const { commissionId } = await sell("t1", 5, "BEN10");
    await decide(commissionId, "approved");
    await correct("t1", { occurredAt: daysAgo(6) });
    expect(await balances()).toEqual({ ben: 980 });
    expect(await customer()).toMatchObject({ source: "coupon", since: daysAgo(6), confirmed_at: daysAgo(0) });
    await sell("t2", 5.5);
    expect(await books()).toMatchObject({ t2: ["ben", "coupon", "pending", 980] });
    await consistent();
  });

  it("leaves a customer who didn't buy by it to nobody", async () => {
    const { world, sell, correct, books, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await correct("t1", { customerKey: "c2" });
    await sell("t2", 3);
    expect(await books()).toMatchObject({
      "t1~1": ["ben", "coupon", "pending", 980, "chosen"],
      t2: [null, "no_click", "void", 0],
    });
    const customers = await world.rows(
      "select customer_key as key, source from customers where program_id = ? order by 1",
      world.programId,
    );
    expect(customers.map(({ key, source }) => [key, source])).toEqual([
      ["c1", null],
      ["c2", "coupon"],
    ]);
    await consistent();
  });

  it.each([
    [2, 4, ["not_valid_then", "chosen"]],
    [4, 8, ["chosen", "not_valid_then"]],
  ])("is judged by the coupon's validity, %s days ago first and %s then", async (before, after, outcomes) => {
    const valid = { validFrom: daysAgo(6), validUntil: daysAgo(3) };
    const { sell, correct, books, consistent } = await openShop(own.server.url, {
      coupons: [{ codes: ["BEN10"], partner: ben, ...valid }],
    });
    await sell("t1", before, "BEN10");
    await correct("t1", { occurredAt: daysAgo(after) });
    const { t1 = [], "t1~1": corrected = [] } = await books();
    expect([t1.at(-1), corrected.at(-1)]).toEqual(outcomes);
    await consistent();
  });
});
