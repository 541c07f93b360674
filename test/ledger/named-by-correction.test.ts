import { describe, expect, it } from "vitest";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { ben, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

/** Sales of a customer who is known by one click of ben's alone, which they showed this many days ago. */
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

describe("a correction that names the customer of a sale, whom a click alone had identified", () => {
  it("leaves them the click and the sale", async () => {
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

  it("leaves them bound by the coupon of the sale, and their other sales with its partner", async () => {
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

  it("moves their binding with the sale to another day", async () => {
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

  it("does so too if they got the key since the correction was asked for", async () => {
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

  it("gives the sale to another customer who has that key", async () => {
    const { shown, sell, sellBy, correct, customers, books, consistent } = await open(9);
    await sell("t0", 10);
    await sellBy("t1", 7, null);
    await correct("t1", { customerKey: "c1" }, [shown]);
    expect(await customers()).toMatchObject([{ name: "c1" }, { name: null, evidence: "moved" }]);
    expect(await books()).toMatchObject({ t1: ["ben", "click", "reversed", 0] });
    await consistent();
  });
});
