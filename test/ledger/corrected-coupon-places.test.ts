import { expect, it } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, clara, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

const from = daysAgo(4);
/** Anna's later sales earn, whatever the customer has bought before. */
const annasForLife = {
  policies: [{ scope: "one_time" }],
  partners: [{ policies: [{ scope: "lifetime", version: 2, effectiveFrom: from, createdAt: from }] }, {}, {}],
} satisfies WorldSettings;

it("a corrected sale whose coupon attributes the customer again keeps the one_time commission, while a later sale earns by a lifetime policy", async () => {
  const { sell, correct, books, consistent } = await openShop(own.server.url, annasForLife);
  await sell("t0", 1);
  await sell("t1", 12, "ANNA5");
  await correct("t1", { occurredAt: daysAgo(12) + 500 });
  expect(await books()).toMatchObject({
    "t1~1": ["anna", "coupon", "pending", 980, "chosen"],
    t0: ["anna", "coupon", "pending", 980],
  });
  await consistent();
});

it("a corrected sale keeps the one_time commission if its click now attributes an earlier sale to the same partner", async () => {
  const { click, sale, sell, correct, books, consistent } = await openShop(own.server.url, {
    policies: [{ scope: "one_time" }],
    program: { attributionWindowDays: 10 },
  });
  const shown = click(anna, 15);
  const clicks = { clicks: [shown], clickId: shown.clickId, sentClickId: true };
  await sale("t1", daysAgo(1), { ...clicks, amountCents: 4_900, couponCodes: ["ANNA5"] });
  await sell("t0", 10);
  expect(await books()).toMatchObject({
    t0: [null, "no_click", "void", 0],
    t1: ["anna", "coupon", "pending", 980, "chosen"],
  });
  await correct("t1", { amountCents: 1_000 }, [shown]);
  expect(await books()).toMatchObject({
    t0: ["anna", "click", "void", 0],
    "t1~1": ["anna", "click", "pending", 200, "chosen"],
  });
  await consistent();
});

it("a corrected sale of a partner whom the customer has left earns again, although a later sale of that partner earns by a lifetime policy", async () => {
  const { world, sell, correct, change, books, consistent } = await openShop(own.server.url, annasForLife);
  await sell("t0", 1);
  await sell("t1", 12, "ANNA5");
  const to = { customerKey: "c1", partnerId: world.partners[clara]?.id, since: null, payPast: true, reason: "r" };
  await change({ kind: "assign-customer", ...to } as Parameters<typeof change>[0]);
  await correct("t1", { amountCents: 1_000 });
  expect(await books()).toMatchObject({
    "t1~1": ["anna", "coupon", "pending", 200, "chosen"],
    t0: ["anna", "coupon", "pending", 980],
  });
  await consistent();
});

it("a corrected sale of a partner whom the customer has left earns again, although a canceled refund restored a later sale's commission", async () => {
  const { world, sell, refund, correct, change, books, consistent } = await openShop(own.server.url, annasForLife);
  await sell("t0", 1, "ANNA5");
  await refund("t0", "rest", { refundId: "r1" });
  await sell("t1", 12, "ANNA5");
  await refund("t0", "cancel", { refundId: "r1" });
  const to = { customerKey: "c1", partnerId: world.partners[clara]?.id, since: null, payPast: true, reason: "r" };
  await change({ kind: "assign-customer", ...to } as Parameters<typeof change>[0]);
  await correct("t1", { amountCents: 1_000 });
  expect(await books()).toMatchObject({
    "t1~1": ["anna", "coupon", "pending", 200, "chosen"],
    t0: ["anna", "coupon", "pending", 980, "chosen"],
  });
  await consistent();
});

it("a canceled refund restores no one_time commission of a partner whom the customer has left if another sale earned it after the refund", async () => {
  const { world, sell, refund, change, books, consistent } = await openShop(own.server.url, {
    policies: [{ scope: "one_time" }],
  });
  await sell("t1", 12, "ANNA5");
  await refund("t1", "rest", { refundId: "r1" });
  await sell("t2", 10);
  const to = { customerKey: "c1", partnerId: world.partners[clara]?.id, since: null, payPast: true, reason: "r" };
  await change({ kind: "assign-customer", ...to } as Parameters<typeof change>[0]);
  expect(await refund("t1", "cancel", { refundId: "r1" })).toMatchObject({ reason: "one_time_used" });
  const earned = { t1: ["anna", "coupon", "reversed", 0, "chosen"], t2: ["anna", "coupon", "pending", 980] };
  expect(await books()).toEqual(earned);
  await refund("t2", "rest", { refundId: "r2" });
  await refund("t2", "cancel", { refundId: "r2" });
  expect(await books()).toEqual(earned);
  await consistent();
});

it("a canceled refund restores the one_time commission of a partner whom the customer has left, unless an earlier sale has earned it", async () => {
  const { world, sell, refund, change, books, consistent } = await openShop(own.server.url, {
    policies: [{ scope: "one_time" }],
  });
  await sell("t1", 12, "ANNA5");
  await sell("t2", 11);
  await refund("t1", "rest", { refundId: "r1" });
  await sell("t3", 10);
  await refund("t3", "rest", { refundId: "r3" });
  const to = { customerKey: "c1", partnerId: world.partners[clara]?.id, since: null, payPast: true, reason: "r" };
  await change({ kind: "assign-customer", ...to } as Parameters<typeof change>[0]);
  await refund("t1", "cancel", { refundId: "r1" });
  expect(await refund("t3", "cancel", { refundId: "r3" })).toMatchObject({ reason: "one_time_used" });
  expect(await books()).toEqual({
    t1: ["anna", "coupon", "pending", 980, "chosen"],
    t2: ["anna", "coupon", "void", 0],
    t3: ["anna", "coupon", "reversed", 0],
  });
  await consistent();
});
