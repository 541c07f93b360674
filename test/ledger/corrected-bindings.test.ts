import { describe, expect, it } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, ben, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

async function open(settings: WorldSettings = {}) {
  const shop = await openShop(own.server.url, settings);
  const { sale, click } = shop;
  const sellBy = (transactionId: string, days: number, shown: ReturnType<typeof click>, ...couponCodes: string[]) =>
    sale(transactionId, daysAgo(days), {
      ...{ clicks: [shown], clickId: shown.clickId, sentClickId: true },
      ...{ amountCents: 4_900, couponCodes },
    });
  return { ...shop, sellBy };
}

describe("a customer's one_time commission", () => {
  const policies = [{ scope: "one_time" as const }];

  it.each([
    ["an earlier time", 29],
    ["a later time before the other sales", 21],
    ["a time after the other sales", 1],
  ])(
    "a customer's one_time commission stays with the sale that earned it when the sale that attributed the customer is corrected to %s",
    async (_, days) => {
      const { sell, correct, books, balances, consistent } = await open({ policies });
      await sell("t1", 3, "CLARA5");
      await sell("t2", 26, "CLARA5");
      await correct("t2", { occurredAt: daysAgo(days) });
      expect(await books()).toMatchObject({
        t1: ["clara", "coupon", "pending", 980, "chosen"],
        "t2~1": ["clara", "coupon", "void", 0, "chosen"],
      });
      await sell("t3", 2);
      expect(await balances()).toEqual({ clara: 980 });
      await consistent();
    },
  );

  it("a customer's one_time commission stays with the sale that earned it when the sale that attributed the customer moves to another customer", async () => {
    const { sell, correct, balances, consistent } = await open({ policies });
    await sell("t1", 3, "CLARA5");
    await sell("t2", 26, "CLARA5");
    await correct("t2", { customerKey: "c2" });
    expect(await balances()).toEqual({ clara: 1_960 });
    await sell("t3", 2);
    expect(await balances()).toEqual({ clara: 1_960 });
    await consistent();
  });

  it("a customer's one_time commission stays with the sale that earned it when the sale that attributed the customer, which was refunded, is corrected", async () => {
    const { sell, refund, correct, balances, consistent } = await open({ policies });
    await sell("t2", 9, "CLARA5");
    await refund("t2", "rest", { refundId: "r1" });
    await sell("t1", 3);
    await correct("t2", { occurredAt: daysAgo(8) });
    expect(await balances()).toEqual({ clara: 980 });
    await sell("t3", 2);
    expect(await balances()).toEqual({ clara: 980 });
    await consistent();
  });

  it("a customer's one_time commission can be earned again once the sale that earned it is no longer attributed to the partner", async () => {
    const { sell, sale, correct, books, consistent } = await open({ policies });
    const renewal = { isRecurring: true, amountCents: 4_900, couponCodes: ["CLARA5"] };
    await sale("t1", daysAgo(10), renewal);
    await sale("t3", daysAgo(2), renewal);
    await sell("t2", 6);
    expect(await books()).toMatchObject({ t2: ["clara", "coupon", "pending", 980] });
    await correct("t1", { customerKey: "c2" });
    expect(await books()).toMatchObject({ t2: [null, "no_click", "void", 0] });
    await sell("t4", 1);
    expect(await books()).toMatchObject({ t4: ["clara", "coupon", "pending", 980] });
    await consistent();
  });
});

it("a customer has exactly one first sale after the earliest sale is corrected to another time", async () => {
  const rules = [{ when: { isFirst: true }, rateBps: 4_000 }];
  const { sell, correct, balances, consistent } = await open({ policies: [{ rules }] });
  await sell("t1", 3, "CLARA5");
  await sell("t2", 12, "CLARA5");
  await correct("t2", { occurredAt: daysAgo(13) });
  expect(await balances()).toEqual({ clara: 1_960 + 980 });
  await consistent();
});

describe("a customer attributed by the click of a sale that is then corrected", () => {
  const program = { attributionWindowDays: 9 };

  it.each([
    ["to another customer", { customerKey: "c2" }],
    ["to a later instant", { occurredAt: daysAgo(7) }],
  ])("a customer keeps the partner after a sale's correction %s if another sale is attributed", async (_, changes) => {
    const { sell, sellBy, click, correct, books, consistent } = await open({ program });
    const shown = click(ben, 23);
    await sellBy("t1", 21, shown);
    await sell("t2", 12);
    await correct("t1", changes, [shown]);
    await sell("t3", 1);
    expect(await books()).toMatchObject({ t2: ["ben", "click", "pending", 980], t3: ["ben", "click", "pending", 980] });
    await consistent();
  });

  it("a customer attributed by a sale's click has no attributed sale left after the sale is corrected to a time beyond the click's window", async () => {
    const { sell, sellBy, click, correct, books, customer, consistent } = await open({ program });
    const shown = click(ben, 12);
    await sellBy("t1", 7, shown);
    await correct("t1", { occurredAt: daysAgo(1) }, [shown]);
    expect(await books()).toMatchObject({ "t1~1": [null, "attribution_window_expired", "void", 0] });
    expect(await customer()).toMatchObject({ first_sale_at: daysAgo(1), first_attributed_sale_at: null });
    await consistent();
    await sell("t2", 5);
    expect(await books()).toMatchObject({
      t2: ["ben", "click", "pending", 980],
      "t1~1": ["ben", "click", "pending", 980],
    });
    await consistent();
  });

  it("a sale keeps its partner after a correction to another time within its click's window, even if a sale from before the click was reported since", async () => {
    const { sell, sellBy, click, correct, books, consistent } = await open();
    const shown = click(ben, 12);
    await sellBy("t1", 7, shown);
    await sell("t0", 20);
    await correct("t1", { occurredAt: daysAgo(6) }, [shown]);
    expect(await books()).toMatchObject({ "t1~1": ["ben", "click", "pending", 980] });
    await consistent();
  });

  it.each([ben, anna])(
    "after a customer's only attributed sale is corrected to another customer, a click reported with an earlier sale attributes that sale",
    async (partner) => {
      const { sellBy, click, correct, books, consistent } = await open();
      const wrong = click(ben, 12);
      await sellBy("t1", 5, wrong);
      await correct("t1", { customerKey: "c2" }, [wrong]);
      await sellBy("t2", 21, click(partner, 23));
      expect(await books()).toMatchObject({ t2: [partner === ben ? "ben" : "anna", "click", "approved", 980] });
      await consistent();
    },
  );

  it("after a customer's only attributed sale is corrected to a time beyond its click's window, a click reported with an earlier sale attributes the customer", async () => {
    const { sellBy, click, correct, books, consistent } = await open({ program });
    const late = click(ben, 12);
    await sellBy("t1", 7, late);
    await correct("t1", { occurredAt: daysAgo(1) }, [late]);
    await sellBy("t2", 14, click(anna, 15));
    expect(await books()).toMatchObject({
      t2: ["anna", "click", "pending", 980],
      "t1~1": ["anna", "click", "pending", 980],
    });
    await consistent();
  });

  it("a customer has no partner after their only attributed sale is corrected to another customer", async () => {
    const { world, sell, sellBy, lead, click, correct, books, consistent } = await open();
    await lead("key", [], "c1", { occurredAt: daysAgo(6) });
    const wrong = click(ben, 12);
    await sellBy("t1", 5, wrong);
    await correct("t1", { customerKey: "c2" }, [wrong]);
    await sell("t2", 1);
    expect(await books()).toMatchObject({
      t2: [null, "no_click", "void", 0],
      "t1~1": ["ben", "click", "pending", 980],
    });
    const [{ partner_id, reason } = {}] = await world.rows(
      "select partner_id, reason from leads where program_id = ?",
      world.programId,
    );
    expect([partner_id, reason]).toEqual([null, "no_click"]);
    await consistent();
  });

  it("after a customer's only attributed sale is corrected to another customer, an earlier sale is unattributed if its click came after it", async () => {
    const { sellBy, click, correct, books, consistent } = await open();
    const wrong = click(ben, 12);
    await sellBy("t1", 5, wrong);
    await correct("t1", { customerKey: "c2" }, [wrong]);
    await sellBy("t2", 21, click(anna, 19));
    expect(await books()).toMatchObject({ t2: [null, "no_click", "void", 0] });
    await consistent();
  });
});

it("the audit accepts a lead that has the same click as the customer's sale, which was corrected before the lead", async () => {
  const program = { attributionWindowDays: 9, windowUntil: "first_sale" as const };
  const { sellBy, lead, click, correct, consistent } = await open({ program });
  const shown = click(ben, 29);
  await sellBy("t1", 23, shown);
  await correct("t1", { occurredAt: daysAgo(18) }, [shown]);
  await lead("key", [shown], "c1", { occurredAt: daysAgo(26) });
  await consistent();
});

describe("a partner whom the customer has left", () => {
  it("a partner whom the customer has left doesn't regain the customer when the sale with the partner's coupon is corrected", async () => {
    const { sell, correct, books, balances, consistent } = await open();
    await sell("t1", 1, "ANNA5");
    await sell("t2", 5, "BEN10");
    await correct("t2", { customerKey: "c2" });
    expect(await books()).toMatchObject({ t1: [null, "no_click", "void", 0, "outranked"] });
    await correct("t1", { amountCents: 5_000 });
    expect(await balances()).toEqual({ ben: 980 });
    await consistent();
  });
});

it("the start of a customer's final attribution to a partner moves back to an earlier sale with the partner's coupon", async () => {
  const { sell, decide, books, customer, consistent } = await open();
  const { commissionId } = await sell("t1", 5, "CLARA5");
  await decide(commissionId, "approved");
  await sell("t2", 7);
  expect(await books()).toMatchObject({ t2: [null, "no_click", "void", 0] });
  await sell("t3", 10, "BEN10");
  expect(await books()).toMatchObject({ t3: [null, "no_click", "void", 0, "outranked"] });
  await sell("t4", 12, "CLARA5");
  expect(await books()).toMatchObject({
    t4: ["clara", "coupon", "pending", 980, "chosen"],
    t3: ["clara", "coupon", "pending", 980, "outranked"],
    t2: ["clara", "coupon", "pending", 980],
  });
  expect(await customer()).toMatchObject({ since: daysAgo(12) });
  await consistent();
});

it("a sale of a customer who has bought before stores existing_customer as the reason why neither the coupon nor the click attributes the sale", async () => {
  const { sellBy, click, books, consistent } = await open();
  await sellBy("t1", 29, click(ben, 22));
  await sellBy("t2", 1, click(ben, 23), "ANNA5");
  expect(await books()).toMatchObject({ t2: [null, "existing_customer", "void", 0, "existing_customer"] });
  await consistent();
});

describe("a server's lead with the click of a browser's lead, but an earlier time", () => {
  it.each([{}, { attributionWindowDays: 9 }])(
    "a server's lead with the click of a browser's lead, but an earlier time, confirms the customer's attribution: %o",
    async (program) => {
      const { lead, sell, click, books, consistent } = await open({ program });
      const shown = click(ben, 7);
      await lead("browser", [shown]);
      await sell("t1", 3);
      await lead("key", [shown], "c1", { occurredAt: daysAgo(26) });
      expect(await books()).toMatchObject({ t1: ["ben", "click", "pending", 980] });
      expect(await sell("t2", 1)).toMatchObject({ commission: { unconfirmed: false } });
      await consistent();
    },
  );
});

it("a corrected sale that is fully refunded leaves the one_time commission to another sale that moves to the same partner", async () => {
  const { sellBy, sale, refund, click, correct, books, consistent } = await open({ policies: [{ scope: "one_time" }] });
  const shown = click(ben, 9);
  await sellBy("t1", 8, shown);
  await refund("t1", "rest", { refundId: "r1" });
  await sale("t2", daysAgo(3), { customerKey: "c2", amountCents: 4_900 });
  await correct("t1", { customerKey: "c2" }, [shown]);
  expect(await books()).toMatchObject({
    t2: ["ben", "click", "pending", 980],
    "t1~1": ["ben", "click", "reversed", 0],
  });
  await consistent();
});

it("a sale whose coupon made the customer's attribution final keeps its partner when it is corrected, despite an earlier sale reported since", async () => {
  const { sell, decide, correct, books, customer, consistent } = await open();
  const { commissionId } = await sell("t1", 5, "CLARA5");
  await decide(commissionId, "approved");
  await sell("t2", 9);
  await correct("t1", { occurredAt: daysAgo(8) });
  expect(await books()).toMatchObject({
    t2: [null, "no_click", "void", 0],
    "t1~1": ["clara", "coupon", "pending", 980, "chosen"],
  });
  expect(await customer()).toMatchObject({ since: daysAgo(8) });
  await consistent();
});

it("a sale whose click came after the first sale is unattributed once the first sale, whose coupon attributed the customer, is corrected to a later time", async () => {
  const { sell, sellBy, click, correct, books, consistent } = await open();
  await sell("t1", 12, "CLARA5");
  await sellBy("t2", 4, click(ben, 8));
  await correct("t1", { occurredAt: daysAgo(3) });
  expect(await books()).toMatchObject({
    t2: [null, "no_click", "void", 0],
    "t1~1": ["clara", "coupon", "pending", 980, "chosen"],
  });
  await consistent();
});

it("a sale with a coupon that is corrected to a customer with earlier sales doesn't attribute that customer", async () => {
  const { sell, sale, correct, books, consistent } = await open();
  await sell("t1", 9);
  await sale("t2", daysAgo(5), { customerKey: "c2", amountCents: 4_900, couponCodes: ["CLARA5"] });
  await correct("t2", { customerKey: "c1" });
  expect(await books()).toMatchObject({ "t2~1": [null, "existing_customer", "void", 0, "existing_customer"] });
  await consistent();
});

it.each([
  ["that attributed the customer, and is corrected twice,", "t1~1"],
  ["that is corrected, and didn't attribute the customer,", "t2"],
])("a sale with a coupon %s takes precedence over an earlier sale that was reported later", async (_, corrected) => {
  const { sell, decide, correct, books, consistent } = await open();
  const { commissionId } = await sell("t1", 5, "CLARA5");
  await sell("t2", 4, "CLARA5");
  await decide(commissionId, "approved");
  await correct("t1", { occurredAt: daysAgo(2) });
  await sell("t3", 9);
  await correct(corrected, { occurredAt: daysAgo(8) });
  const again = corrected === "t2" ? "t2~1" : "t1~2";
  expect(await books()).toMatchObject({ [again]: ["clara", "coupon", "pending", 980, "chosen"] });
  await consistent();
});

it("a corrected sale still counts as reported before a later sale with a coupon, so that the coupon's customer remains an existing customer", async () => {
  const { sell, correct, books, consistent } = await open();
  await sell("t1", 9);
  await sell("t2", 1, "CLARA5");
  await correct("t1", { occurredAt: daysAgo(8) });
  await correct("t2", { occurredAt: daysAgo(5) });
  expect(await books()).toMatchObject({ "t2~1": [null, "existing_customer", "void", 0, "existing_customer"] });
  await consistent();
});
