import { describe, expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, ben, clara, openShop } from "./coupons-shop.ts";

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

  it("keeps the binding that it was decided by, though its click is shown for an earlier event since", async () => {
    const { world, sale, lead, click, correct, consistent } = await openShop(own.server.url);
    const shown = click(anna, 6);
    await sale("t1", daysAgo(2), { clicks: [shown], clickId: shown.clickId, sentClickId: true });
    await correct("t1", { customerKey: "c2" }, [shown]);
    await lead("key", [shown], "c1", { occurredAt: daysAgo(3) });
    const [customer] = await world.rows(
      "select bound_by, bound_at from customers where program_id = ? and customer_key = 'c1'",
      world.programId,
    );
    expect(customer).toEqual({ bound_by: "lead", bound_at: daysAgo(3) });
    await consistent();
  });

  it("keeps that no click was judged beside the coupon of then, though a click brought the customer", async () => {
    const { sell, sale, click, refer, correct, books, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await sell("t2", 9);
    const late = click(anna, 8);
    await sale("t3", daysAgo(7), { clicks: [late], clickId: late.clickId, sentClickId: true });
    await correct("t3", { amountCents: 5_000 }, [late]);
    await refer(clara, 20);
    expect(await books()).toMatchObject({
      t1: ["clara", "click", "pending", 980, "outranked"],
      t3: [null, "no_click", "void", 0],
      "t3~1": ["clara", "click", "pending", 1_000],
    });
    await consistent();
  });

  it("leaves earlier sales as they were once no coupon binds their customer", async () => {
    const { sell, sale, click, correct, books, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await sell("t2", 9);
    const late = click(anna, 8);
    await sale("t3", daysAgo(7), { clicks: [late], clickId: late.clickId, sentClickId: true });
    await correct("t1", { customerKey: "c2" });
    expect(await books()).toMatchObject({ t3: [null, "no_click", "void", 0] });
    await consistent();
  });
});
