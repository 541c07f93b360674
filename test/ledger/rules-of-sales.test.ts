import { expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { ben, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

it("a later sale earns the one_time commission if rules exclude everything in the first sale except a free item", async () => {
  const { sale, sell, books, consistent } = await openShop(own.server.url, {
    policies: [
      {
        ...{ type: "flat", rateBps: null, amountCents: 1_000, currency: "EUR", scope: "one_time" },
        rules: [{ when: { productIds: ["gift"] }, excluded: true }],
      },
    ],
  });
  const items = JSON.stringify([
    { itemId: "1", productId: "gift", amountCents: 4_900, quantity: 1 },
    { itemId: "2", productId: "shipping", amountCents: 0, quantity: 1 },
  ]);
  await sale("t1", daysAgo(5), { amountCents: 4_900, couponCodes: ["BEN10"], items });
  await sell("t2", 3);
  expect(await books()).toMatchObject({
    t1: ["ben", "coupon", "void", 0, "chosen"],
    t2: ["ben", "coupon", "pending", 1_000],
  });
  await consistent();
});

it("a canceled refund restores a first sale's commission, even if another sale became the customer's first sale in the meantime", async () => {
  const { sell, refund, balances, consistent } = await openShop(own.server.url, {
    policies: [{ rateBps: 1_000, rules: [{ when: { isFirst: true }, rateBps: 5_000 }] }],
  });
  await sell("t1", 5, "BEN10");
  await refund("t1", "rest", { refundId: "r1" });
  await sell("t2", 4);
  await refund("t1", "cancel", { refundId: "r1" });
  await sell("t3", 3);
  expect(await balances()).toEqual({ ben: 2_450 + 2_450 + 490 });
  await consistent();
});

it("an import of an earlier first sale doesn't change a sale that a coupon has attributed", async () => {
  const { world, sell, change, books, consistent } = await openShop(own.server.url, {
    policies: [{ rateBps: 2_000, scope: "recurring", durationMonths: 1 }],
  });
  await sell("t1", 5, "BEN10");
  const { code: partnerCode = "" } = world.partners[ben] ?? {};
  const row = { line: 1, customerKey: "c1", partnerCode, since: undefined, payPast: false };
  const imported = { ...row, firstSaleAt: daysAgo(90), subscriptionId: undefined };
  await change({ kind: "import-customers", source: "E", isDryRun: false, rows: [imported] });
  expect(await books()).toMatchObject({ t1: ["ben", "coupon", "pending", 980, "chosen"] });
  await consistent();
});

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Imports the customer of ben's sale that was made 5 days ago, with a first sale that many days earlier. */
const importEarlier = ({ world, change }: Shop, earlier: number) => {
  const { code: partnerCode = "" } = world.partners[ben] ?? {};
  const row = { line: 1, customerKey: "c1", partnerCode, since: daysAgo(5), payPast: true };
  const imported = { ...row, firstSaleAt: daysAgo(5 + earlier), subscriptionId: undefined };
  const call = { kind: "import-customers", source: "E", isDryRun: false, rows: [imported] } as const;
  return change(call);
};

it.each([0, 60])(
  "a corrected sale keeps the one_time commission that it had before its customer was imported with a first sale %i days earlier",
  async (earlier) => {
    const shop = await openShop(own.server.url, { policies: [{ scope: "one_time" }] });
    const { sell, correct, books, consistent } = shop;
    await sell("t1", 5, "BEN10");
    await importEarlier(shop, earlier);
    await correct("t1", { amountCents: 1_000 });
    await sell("t2", 4);
    expect(await books()).toMatchObject({
      "t1~1": ["ben", "import", "pending", 200, "chosen"],
      t2: ["ben", "import", "void", 0],
    });
    await consistent();
  },
);

const backAgain = [
  [
    "is corrected below the policy's minimum and back",
    async ({ correct }: Shop) => {
      await correct("t1", { amountCents: 49 });
      await correct("t1~1", { amountCents: 4_900 });
    },
    { "t1~2": ["ben", "import", "pending", 980, "chosen"] },
  ],
  [
    "is refunded, corrected, and its refund is canceled",
    async ({ refund, correct }: Shop) => {
      await refund("t1", "rest", { refundId: "r1" });
      await correct("t1", { amountCents: 2_000 });
      await refund("t1", "cancel", { refundId: "r1" });
    },
    { "t1~1": ["ben", "import", "pending", 400, "chosen"] },
  ],
  [
    "is moved to another customer and back",
    async ({ correct }: Shop) => {
      await correct("t1", { customerKey: "c2" });
      await correct("t1~1", { customerKey: "c1" });
    },
    { "t1~2": ["ben", "import", "pending", 980, "chosen"] },
  ],
] as const;

it.each(backAgain)(
  "a sale from before an import of an earlier first sale earns the one_time commission again if it %s",
  async (_which, act, earned) => {
    const shop = await openShop(own.server.url, {
      policies: [{ scope: "one_time", minSaleCents: 1_000, currency: "EUR" }],
    });
    const { sell, books, consistent } = shop;
    await sell("t1", 5, "BEN10");
    await importEarlier(shop, 60);
    await act(shop);
    await sell("t2", 4);
    expect(await books()).toMatchObject({ ...earned, t2: ["ben", "import", "void", 0] });
    await consistent();
  },
);

it("a refunded sale from before the import of an earlier first sale leaves the one_time commission to the sale that got it since", async () => {
  const shop = await openShop(own.server.url, { policies: [{ scope: "one_time" }] });
  const { sell, refund, correct, books, consistent } = shop;
  await sell("t1", 5, "BEN10");
  await refund("t1", "rest", { refundId: "r1" });
  await sell("t2", 4);
  await importEarlier(shop, 60);
  await correct("t1", { amountCents: 2_000 });
  await refund("t1", "cancel", { refundId: "r1" });
  expect(await books()).toMatchObject({
    "t1~1": ["ben", "import", "void", 0, "chosen"],
    t2: ["ben", "coupon", "pending", 980],
  });
  await consistent();
});

it("a sale that is corrected to a customer with an imported first sale earns no one_time commission", async () => {
  const shop = await openShop(own.server.url, { policies: [{ scope: "one_time" }] });
  const { sale, correct, books, consistent } = shop;
  await sale("t1", daysAgo(4), { amountCents: 4_900, customerKey: "c2", couponCodes: ["BEN10"] });
  await importEarlier(shop, 60);
  await correct("t1", { customerKey: "c1" });
  await correct("t1~1", { amountCents: 2_000 });
  expect(await books()).toMatchObject({ "t1~2": ["ben", "import", "void", 0, "chosen"] });
  await consistent();
});
