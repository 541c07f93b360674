import { describe, expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

async function follow({ pending, maintain }: Awaited<ReturnType<typeof openShop>>): Promise<void> {
  while ((await pending()) > 0) await maintain();
}

const rules = [{ when: { isFirst: true }, rateBps: 5_000 }];

/** If a customer has more than a few other sales, the Ledger moves these in later steps. */
describe("a sale recorded while a correction still moves the customer's other sales", () => {
  it.each([2, 8])(
    "a sale recorded while a correction still moves the customer's %i other sales isn't the customer's first sale",
    async (others) => {
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
    },
  );

  it.each([1, 8])(
    "of the sales recorded while a correction moves the customer's %i other sales, only one earns the one_time commission if the sale that had it leaves the partner",
    async (others) => {
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
    },
  );
});

it.each([
  [2, "nobody", []],
  [8, "nobody", []],
  [2, "clara", ["CLARA5"]],
  [8, "clara", ["CLARA5"]],
])(
  "an earlier sale with the coupon of the partner whom the customer is leaving doesn't attribute the customer's %i sales that move to %s",
  async (others, whose, codes) => {
    const shop = await openShop(own.server.url);
    const { sell, correct, books, consistent } = shop;
    await sell("t1", 13, "BEN10");
    await sell("t2", 12, ...codes);
    for (let i = 1; i < others; i += 1) await sell(`o${i}`, 12 - i);
    await correct("t1", { customerKey: "c2" });
    await sell("t0", 14, "BEN10");
    await consistent();
    await follow(shop);
    const partner = whose === "nobody" ? null : whose;
    expect(await books()).toMatchObject({
      t0: [null, "no_click", "void", 0, "outranked"],
      t2: expect.arrayContaining([partner]),
      o1: expect.arrayContaining([partner]),
    });
    await consistent();
  },
);

/** Opens a shop with six sales that are moving from BEN10 to CLARA5. Their holds end before they have moved. */
async function openMoving() {
  const shop = await openShop(own.server.url);
  const { world, sell, correct, decide, attempt, refund, books, pending } = shop;
  await sell("t1", 14, "BEN10");
  await sell("t2", 13, "CLARA5");
  const { commissionId } = await sell("held", 12);
  const change = { kind: "review-commissions", commissionIds: [commissionId] } as const;
  const hold = { ...change, review: { action: "hold", reason: "r", partnerNote: null } } as const;
  expect(await attempt(hold)).toMatchObject({ ok: true });
  await sell("refunded", 11);
  await refund("refunded", "rest", { refundId: "r1" });
  for (let i = 0; i < 4; i += 1) await sell(`o${i}`, 10);
  await correct("t1", { customerKey: "c2" });
  await world.write({
    sql: "update commissions set hold_until = ? where program_id = ? and sale_id in (select id from sales where transaction_id <> 't1~1')",
    args: [daysAgo(1), world.programId],
  });
  expect(await pending()).toBe(1);
  const release = () => attempt({ ...change, review: { action: "release", note: null } });
  const partnerAndStatus = async (t: string) => (await books())[t]?.filter((_, i) => i === 0 || i === 2);
  return { ...shop, release, decide, partnerAndStatus };
}

describe("a sale whose hold ends before it moves with its customer", () => {
  it("a sale whose hold ends before it moves with its customer isn't approved for the partner whom the customer has left", async () => {
    const shop = await openMoving();
    await follow(shop);
    await shop.maintain();
    for (const t of ["t2", "o0", "o3"]) expect(await shop.partnerAndStatus(t)).toEqual(["clara", "pending"]);
    expect(await shop.balances()).toEqual({ ben: 980, clara: 6 * 980 });
  });

  it("a sale whose hold ends before it moves with its customer isn't approved when a manual hold is released", async () => {
    const shop = await openMoving();
    expect(await shop.release()).toMatchObject({ ok: true, answer: [{ result: "released" }] });
    expect(await shop.partnerAndStatus("held")).toEqual(["ben", "pending"]);
    await follow(shop);
    expect(await shop.partnerAndStatus("held")).toEqual(["clara", "pending"]);
  });

  it("a sale whose hold ends before it moves with its customer isn't approved when its refund is canceled", async () => {
    const shop = await openMoving();
    await shop.refund("refunded", "cancel", { refundId: "r1" });
    expect(await shop.partnerAndStatus("refunded")).toEqual(["ben", "pending"]);
    await follow(shop);
    expect(await shop.partnerAndStatus("refunded")).toEqual(["clara", "pending"]);
  });
});
