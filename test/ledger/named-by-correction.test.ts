import { describe, expect, it } from "vitest";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { ben, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

/** Opens a shop with a customer whom only one click of ben's identifies. The click is this many days old. */
async function open(clickDays: number) {
  const shop = await openShop(own.server.url);
  const shown = shop.click(ben, clickDays);
  const sellBy = (transactionId: string, days: number, customerKey: string | null, couponCodes: string[] = []) =>
    shop.sale(transactionId, daysAgo(days), {
      clicks: [shown],
      clickId: shown.clickId,
      sentClickId: true,
      amountCents: 4_900,
      customerKey,
      couponCodes,
    });
  const customers = () =>
    shop.world.rows(
      `select c.customer_key as name, k.evidence from customers c left join customer_clicks k on k.customer_id = c.id
       where c.program_id = ?`,
      shop.world.programId,
    );
  return { ...shop, shown, sellBy, customers };
}

describe("a correction that adds a customer key to a sale whose customer only a click had identified", () => {
  it("a correction that adds a customer_key for a customer known only by a click gives the customer the key, and leaves them the click and the sale", async () => {
    const { shown, sellBy, correct, customers, books, consistent } = await open(9);
    await sellBy("t1", 7, null);
    await correct("t1", { customerKey: "c2" }, [shown]);
    expect(await customers()).toMatchObject([{ name: "c2", evidence: "key" }]);
    await sellBy("t2", 5, "c2");
    expect(await books()).toMatchObject({
      "t1~1": ["ben", "click", "pending", 980],
      t2: ["ben", "click", "pending", 980],
    });
    await consistent();
  });

  it("a correction that adds a customer_key for a customer known only by a click leaves the customer and their other sales with the partner of the sale's coupon", async () => {
    const { shown, sellBy, correct, customers, books, balances, consistent } = await open(90);
    await sellBy("t1", 8, null, ["CLARA5"]);
    await sellBy("t2", 7, null);
    await correct("t1", { customerKey: "c2" }, [shown]);
    expect(await customers()).toMatchObject([{ name: "c2" }]);
    await sellBy("t3", 5, "c2");
    expect(await books()).toMatchObject({
      "t1~1": ["clara", "coupon", "pending", 980, "chosen"],
      t2: ["clara", "coupon", "pending", 980],
      t3: ["clara", "coupon", "pending", 980],
    });
    expect(await balances()).toEqual({ clara: 2_940 });
    await consistent();
  });

  it("a correction that adds a customer_key for a customer known only by a click and changes the sale's time moves the start of the attribution", async () => {
    const { shown, sellBy, correct, books, consistent } = await open(90);
    await sellBy("t1", 8, null, ["CLARA5"]);
    await sellBy("t2", 6, null);
    await correct("t1", { customerKey: "c2", occurredAt: daysAgo(7) }, [shown]);
    expect(await books()).toMatchObject({
      "t1~1": ["clara", "coupon", "pending", 980, "chosen"],
      t2: ["clara", "coupon", "pending", 980],
    });
    await consistent();
  });

  it("a correction that adds a customer_key leaves the customer attributed even if they got the key after the owner opened the correction", async () => {
    const { shown, sellBy, change, world, books, consistent } = await open(90);
    await sellBy("t1", 8, null, ["CLARA5"]);
    await sellBy("t2", 7, null);
    const { programId } = world;
    const [row] = await world.rows("select id from sales where program_id = ? and transaction_id = 't1'", programId);
    const found = await findCorrectableSale(databaseAt(own.server.url), programId, Number(row?.id));
    await sellBy("t3", 6, "c2");
    const changes = { customerKey: "c2" };
    await change({ ...found, kind: "correct-sale", clicks: [shown], changes, reason: "wrong", isDryRun: false });
    expect(await books()).toMatchObject({
      "t1~1": ["clara", "coupon", "pending", 980, "chosen"],
      t2: ["clara", "coupon", "pending", 980],
      t3: ["clara", "coupon", "pending", 980],
    });
    await consistent();
  });

  it("a correction that adds a customer_key for a customer known only by a click moves the sale to the other customer who has the key", async () => {
    const { shown, sell, sellBy, correct, customers, books, consistent } = await open(9);
    await sell("t0", 10);
    await sellBy("t1", 7, null);
    await correct("t1", { customerKey: "c1" }, [shown]);
    expect(await customers()).toMatchObject([{ name: "c1" }, { name: null, evidence: "moved" }]);
    expect(await books()).toMatchObject({ t1: ["ben", "click", "reversed", 0] });
    await consistent();
  });
});

it("a correction gives a sale of another customer's subscription to the customer whose customer_key was sent with the sale", async () => {
  const { click, sale, correct, world, books, consistent } = await openShop(own.server.url);
  const shown = click(ben, 9);
  const subscription = { amountCents: 4_900, subscriptionId: "sub_1" };
  await sale("t1", daysAgo(7), { ...subscription, clicks: [shown], clickId: shown.clickId, sentClickId: true });
  await sale("t2", daysAgo(5), { ...subscription, customerKey: "c2" });
  expect(await books()).toMatchObject({ t2: ["ben", "click", "pending", 980] });
  await correct("t2", { customerKey: "c2" });
  expect(await books()).toMatchObject({
    t1: ["ben", "click", "pending", 980],
    "t2~1": [null, "customer_not_found", "void", 0],
  });
  const rows = await world.rows(
    "select c.customer_key as name from sales s join customers c on c.id = s.customer_id where s.transaction_id = 't2~1'",
  );
  expect(rows).toEqual([{ name: "c2" }]);
  await consistent();
});
