import { describe, expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

describe("a correction of the sale by whose coupon a customer is bound", () => {
  it("binds by the coupon that is the earliest now", async () => {
    const { sell, correct, books, balances, customer, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await sell("t2", 3, "CLARA5");
    await sell("t3", 4);
    await correct("t1", { occurredAt: daysAgo(1) });
    expect(await books()).toMatchObject({
      t2: ["clara", "coupon", "pending", 980, "chosen"],
      t3: [null, "no_click", "void", 0],
      "t1~1": ["clara", "coupon", "pending", 980, "outranked"],
    });
    expect(await balances()).toEqual({ clara: 1_960 });
    expect(await customer()).toMatchObject({ source: "coupon", since: daysAgo(3) });
    await consistent();
  });

  it("binds a customer whose sale was another's by the coupon that they used, or not at all", async () => {
    const { sell, refund, correct, books, balances, customer, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await sell("t2", 3);
    await refund("t2", "amount", { cents: 2_450, refundId: "r1" });
    await sell("t3", 2, "CLARA5");
    await correct("t1", { customerKey: "c2" });
    expect(await books()).toMatchObject({
      "t1~1": ["ben", "coupon", "pending", 980, "chosen"],
      t2: [null, "no_click", "void", 0],
      t3: [null, "existing_customer", "void", 0, "existing_customer"],
    });
    expect(await customer()).toMatchObject({ source: null, partner_id: null, first_sale_at: daysAgo(3) });
    await sell("t4", 1, "BEN10");
    expect(await balances()).toEqual({ ben: 980 });
    await refund("t2", "rest", { refundId: "r2" });
    await consistent();
  });

  it("leaves what is rejected, and follows with the others to a click", async () => {
    const { sell, decide, refer, correct, books, balances, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    const { commissionId } = await sell("t2", 3);
    await decide(commissionId, "rejected");
    await sell("t3", 2);
    await correct("t1", { customerKey: "c2" });
    expect(await books()).toMatchObject({
      t2: ["ben", "coupon", "rejected", 0],
      t3: [null, "no_click", "void", 0],
    });
    await refer(anna, 6);
    expect(await balances()).toEqual({ ben: 980, anna: 980 });
    await consistent();
  });

  it("stays with the partner whose coupon came with a later sale, too", async () => {
    const { sell, correct, books, customer, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await sell("t2", 3, "BEN10");
    await sell("t3", 4);
    await correct("t1", { customerKey: "c2" });
    expect(await books()).toMatchObject({
      t2: ["ben", "coupon", "pending", 980, "chosen"],
      t3: [null, "no_click", "void", 0],
    });
    expect(await customer()).toMatchObject({ source: "coupon", since: daysAgo(3) });
    await sell("t0", 4.5, "BEN10");
    expect(await books()).toMatchObject({ t3: [null, "no_click", "void", 0] });
    await consistent();
  });
});

it("leaves a customer alone whose sales are still following them", async () => {
  const { world, sell, attempt, customer } = await openShop(own.server.url);
  await sell("t1", 5, "BEN10");
  const [row] = await world.rows(
    `insert into pending_moves (customer_id, after_occurred_at, after_sale_id, is_partner_active, is_program_active, policy_version, created_at)
     select id, 0, 0, 1, 1, 1, 0 from customers where program_id = ? returning customer_id`,
    world.programId,
  );
  const before = await customer();
  const { id: partnerId = 0, code: partnerCode = "" } = world.partners[anna] ?? {};
  const assigned = { customerKey: "c1", partnerId, since: null, payPast: false, reason: "r" };
  expect(await attempt({ kind: "assign-customer", ...assigned })).toMatchObject({ refusal: { code: "moving" } });
  const unset = { since: undefined, firstSaleAt: undefined, subscriptionId: undefined };
  const rows = [{ line: 1, customerKey: "c1", partnerCode, payPast: false, ...unset }];
  expect(await attempt({ kind: "import-customers", source: "E", isDryRun: false, rows })).toMatchObject({
    answer: { outcomes: [{ line: 1, result: "refused", code: "moving" }] },
  });
  expect(await customer()).toEqual(before);
  await world.rows("delete from pending_moves where customer_id = ? returning 1", Number(row?.customer_id));
});
