import { describe, expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, ben, clara, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

describe("a sale with a coupon", () => {
  it("a sale with a coupon attributes an unattributed customer from the time of the sale on", async () => {
    const { sell, books, customer, consistent } = await openShop(own.server.url);
    expect(await sell("t1", 5, "BEN10")).toMatchObject({ attributed: true, source: "coupon" });
    await sell("t2", 2);
    await sell("t0", 6);
    expect(await books()).toEqual({
      t0: [null, "no_click", "void", 0],
      t1: ["ben", "coupon", "pending", 980, "chosen"],
      t2: ["ben", "coupon", "pending", 980],
    });
    expect(await customer()).toMatchObject({ source: "coupon", since: daysAgo(5), confirmed_at: null });
    await consistent();
  });

  it("a sale with a coupon moves, with its commission, to the partner of a click from before the sale that a server reports later", async () => {
    const { sell, refer, books, balances, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await refer(anna, 8);
    expect(await books()).toEqual({ t1: ["anna", "click", "pending", 980, "outranked"] });
    expect(await balances()).toEqual({ anna: 980 });
    await sell("t2", 2, "BEN10");
    expect(await books()).toMatchObject({ t2: ["anna", "click", "pending", 980, "outranked"] });
    await consistent();
  });

  it("a sale with a coupon stays with the coupon's partner once a person has approved its commission", async () => {
    const { sell, refer, decide, books, consistent } = await openShop(own.server.url);
    const { commissionId } = await sell("t1", 5, "BEN10");
    await decide(commissionId, "approved");
    await refer(anna, 8);
    await sell("t2", 2);
    expect(await books()).toEqual({
      t1: ["ben", "coupon", "approved", 980, "chosen"],
      t2: ["ben", "coupon", "pending", 980],
    });
    await consistent();
  });

  it("a sale with a coupon makes the attribution final immediately if the policy has no hold", async () => {
    const { sell, refer, books, customer, consistent } = await openShop(own.server.url, {
      policies: [{ holdDays: 0 }],
    });
    await sell("t1", 5, "BEN10");
    expect(await customer()).toMatchObject({ source: "coupon", confirmed_at: daysAgo(0) });
    await refer(anna, 8);
    expect(await books()).toEqual({ t1: ["ben", "coupon", "approved", 980, "chosen"] });
    await consistent();
  });

  it("a sale with a coupon is attributed by the customer's click instead if the click is valid for the first sale, even if only a browser reported it", async () => {
    const { sell, refer, lead, click, books, consistent } = await openShop(own.server.url);
    await refer(anna, 9);
    await sell("t1", 5, "BEN10");
    expect(await books()).toEqual({ t1: ["anna", "click", "pending", 980, "outranked"] });
    await consistent();
    const other = await openShop(own.server.url);
    await other.lead("browser", [other.click(anna, 9)], "c1", { occurredAt: daysAgo(9) });
    await other.sell("t1", 5, "BEN10");
    expect(await other.books()).toEqual({ t1: ["anna", "click", "pending", 980, "outranked"] });
    await other.consistent();
    expect([lead, click]).toHaveLength(2);
  });

  it("a sale with a coupon is attributed by its coupon if the customer's click isn't valid for the first sale", async () => {
    const { sell, refer, books, consistent } = await openShop(own.server.url, {
      program: { windowUntil: "first_sale" },
    });
    await refer(anna, 80, 75);
    await sell("t1", 5, "BEN10");
    expect(await books()).toEqual({ t1: ["ben", "coupon", "pending", 980, "chosen"] });
    await consistent();
  });

  it("a sale with a coupon doesn't attribute a customer who has bought before", async () => {
    const { sell, books, customer, consistent } = await openShop(own.server.url);
    await sell("t1", 5);
    expect(await sell("t2", 2, "BEN10")).toMatchObject({ attributed: false, reason: "existing_customer" });
    expect(await books()).toEqual({
      t1: [null, "customer_not_found", "void", 0],
      t2: [null, "existing_customer", "void", 0, "existing_customer"],
    });
    expect(await customer()).toMatchObject({ partner_id: null });
    await consistent();
  });

  it("a sale with a coupon is attributed by the earliest of the customer's coupons, in whatever order the sales are reported", {
    tags: "soak",
  }, async () => {
    const { sell, books, balances, consistent } = await openShop(own.server.url);
    await sell("t3", 2, "BEN10");
    await sell("t2", 3);
    await sell("t1", 5, "CLARA5");
    expect(await books()).toEqual({
      t1: ["clara", "coupon", "pending", 980, "chosen"],
      t2: ["clara", "coupon", "pending", 980],
      t3: ["clara", "coupon", "pending", 980, "outranked"],
    });
    // A customer never returns to a partner whom they have left.
    await sell("t0", 6, "BEN10");
    expect(await books()).toMatchObject({ t0: [null, "no_click", "void", 0, "outranked"] });
    await sell("t-1", 7, "ANNA5");
    expect(await balances()).toEqual({ anna: 5 * 980 });
    await consistent();
  });

  it("a sale with a coupon moves the start of the attribution back if it is earlier and has a coupon of the same partner", async () => {
    const { sell, books, customer, consistent } = await openShop(own.server.url);
    await sell("t3", 2, "BEN10");
    await sell("t2", 3);
    await sell("t1", 5, "promo_1");
    expect(await books()).toEqual({
      t1: ["ben", "coupon", "pending", 980, "chosen"],
      t2: ["ben", "coupon", "pending", 980],
      t3: ["ben", "coupon", "pending", 980, "chosen"],
    });
    expect(await customer()).toMatchObject({ since: daysAgo(5) });
    await consistent();
  });

  it("a sale with a coupon is attributed by a click of the same partner once the click is reported", async () => {
    const { sell, refer, books, balances, customer, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await refer(ben, 8);
    expect(await books()).toEqual({ t1: ["ben", "click", "pending", 980, "chosen"] });
    expect(await balances()).toEqual({ ben: 980 });
    expect(await customer()).toMatchObject({ source: "click", since: null });
    await consistent();
  });

  it("a sale with a coupon follows a customer who changes partners twice, with refunds in between", {
    tags: "soak",
  }, async () => {
    const { sell, refer, refund, books, balances, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await refund("t1", "amount", { cents: 1_900, refundId: "r1" });
    await sell("t0", 6, "CLARA5");
    await refund("t1", "amount", { cents: 1_000, refundId: "r2" });
    await refer(anna, 8);
    await refund("t1", "cancel", { refundId: "r1" });
    expect(await books()).toEqual({
      t0: ["anna", "click", "pending", 980, "outranked"],
      t1: ["anna", "click", "pending", 780, "outranked"],
    });
    expect(await balances()).toEqual({ anna: 980 + 780 });
    await consistent();
  });

  it("the explanation of a sale with a coupon lists no click that is later than the sale", {
    tags: "soak",
  }, async () => {
    const { click, sale, refer, books, consistent, world } = await openShop(own.server.url);
    await refer(anna, 1.5);
    const shown = { clicks: [click(anna, 1.5)], sentClickId: true, clickId: click(anna, 1.5).clickId };
    await sale("t1", daysAgo(3), { ...shown, couponCodes: ["BEN10"] });
    expect(await books()).toMatchObject({ t1: ["ben", "coupon", "pending", 200, "chosen"] });
    expect(
      await world.rows(
        "select explanation ->> '$.candidates' as c from commissions where program_id = ?",
        world.programId,
      ),
    ).toMatchObject([{ c: "[]" }]);
    await consistent();
  });

  it("a sale with a coupon doesn't move back to a partner whom the sale has left, even if a click of that partner attributes the customer", {
    tags: "soak",
  }, async () => {
    const { sell, refer, books, balances, consistent } = await openShop(own.server.url);
    await sell("t3", 2, "BEN10");
    await sell("t2", 3, "ANNA5");
    await sell("t1", 5, "CLARA5");
    await refer(anna, 8);
    expect(await books()).toMatchObject({
      t1: ["anna", "click", "pending", 980, "outranked"],
      t2: ["anna", "click", "pending", 980, "chosen"],
      t3: ["clara", "coupon", "pending", 980, "outranked"],
    });
    expect(await balances()).toEqual({ anna: 1_960, clara: 980 });
    await consistent();
  });

  it("a sale with a coupon can't move once its commission was approved, even if it is fully refunded", async () => {
    const { world, sell, refund, decide } = await openShop(own.server.url);
    const { commissionId, saleId } = await sell("t1", 5, "BEN10");
    await decide(commissionId, "approved");
    await refund("t1", "rest");
    const to = world.partners[anna]?.id ?? 0;
    for (const [table, id] of [
      ["sales", saleId],
      ["commissions", commissionId],
    ] as const) {
      const moved = world.write({ sql: `update ${table} set partner_id = ? where id = ?`, args: [to, id] });
      await expect(moved, table).rejects.toThrow("the attribution of a sale is final");
    }
  });

  it("a sale with a coupon explains why each of its other coupons didn't count", async () => {
    const { sell, books, consistent } = await openShop(own.server.url, {
      coupons: [
        { codes: ["PAUSED"], partner: ben, status: "paused" },
        { codes: ["OLD"], partner: ben, validUntil: daysAgo(30) },
        { codes: ["SOON"], partner: ben, validFrom: daysAgo(1) },
        { codes: ["Straße"], partner: clara },
        { codes: ["ANNA5"], partner: anna },
      ],
    });
    await sell("t1", 5, "PAUSED", "OLD", "SOON", "nobody’s", "STRASSE", "anna5");
    expect(await books()).toEqual({
      t1: [
        ...["clara", "coupon", "pending", 980],
        ...["paused", "not_valid_then", "not_valid_then", "unknown", "chosen", "other_coupon"],
      ],
    });
    await consistent();
  });

  it("a sale with a coupon attributes no customer if the coupon's partner is paused", async () => {
    const { world, sell, books, consistent, ledger } = await openShop(own.server.url);
    const pause = { kind: "update-partner", partnerId: world.partners[ben]?.id ?? 0, changes: { status: "paused" } };
    const by = { operationId: "pause", at: daysAgo(0), programId: world.programId, actorId: "someone" };
    await ledger.submit(ledger.changeTask({ ...by, ...pause } as never, daysAgo(0))).outcome;
    await sell("t1", 5, "BEN10");
    expect(await books()).toEqual({ t1: [null, "customer_not_found", "void", 0, "paused"] });
    await consistent();
  });

  it("a sale with a coupon earns by a rule for coupons, also when another partner's click attributes it", async () => {
    const { sell, refer, books, consistent } = await openShop(own.server.url, {
      policies: [{ rateBps: 2_000, rules: [{ when: { coupon: true }, rateBps: 1_000 }] }],
    });
    await sell("t1", 5, "BEN10", "ANNA5");
    expect(await books()).toEqual({ t1: ["ben", "coupon", "pending", 490, "chosen", "other_coupon"] });
    await sell("t2", 4);
    await refer(anna, 8);
    expect(await books()).toEqual({
      t1: ["anna", "click", "pending", 490, "outranked", "other_coupon"],
      t2: ["anna", "click", "pending", 980],
    });
    await consistent();
  });

  it("a sale with a coupon keeps the time of its fraud signals when the customer's click is reported later", async () => {
    const { sale, lead, click, books, world, consistent } = await openShop(own.server.url);
    const now = daysAgo(0);
    const at = (minutes: number) => ({ amountCents: 4_900, at: now + minutes * 60_000 });
    await sale("t0", daysAgo(3), at(0));
    await sale("t1", daysAgo(3), at(1));
    await sale("t2", daysAgo(5), { ...at(2), couponCodes: ["ANNA5"] });
    await lead("key", [click(anna, 6)], "c1", { at: now + 3 * 60_000, occurredAt: daysAgo(6) });
    expect(await books()).toMatchObject({ t1: ["anna", "click", "pending", 980] });
    const signals = await world.rows(
      "select code, raised_at from commission_signals where program_id = ?",
      world.programId,
    );
    expect(signals).toEqual([{ code: "duplicate_source", raised_at: now + 2 * 60_000 }]);
    await consistent();
  });
});

it("a sale with a coupon keeps its commission if a click reported later attributes an older sale, even if the policy's months since that sale are over", async () => {
  const { sell, sale, lead, click, books, consistent } = await openShop(own.server.url, {
    policies: [{ scope: "recurring", durationMonths: 1, minSaleCents: 500, currency: "EUR" }],
  });
  await sell("t1", 2, "ANNA5");
  await sale("t0", daysAgo(40), { amountCents: 100 });
  await sell("t2", 1);
  await lead("key", [click(anna, 45)], "c1", { occurredAt: daysAgo(44), at: daysAgo(0) + 1_000 });
  expect(await books()).toMatchObject({
    t0: ["anna", "click", "void", 0],
    t1: ["anna", "click", "pending", 980, "chosen"],
    t2: ["anna", "click", "pending", 980],
  });
  await consistent();
});
