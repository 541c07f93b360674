import { describe, expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, ben, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

async function open(program: object = {}) {
  const shop = await openShop(own.server.url, { program });
  const { sale, click, world, correct } = shop;
  type Shown = ReturnType<typeof click>;
  const sellBy = (transactionId: string, days: number, shown: Shown, customerKey: string | null = "c1") =>
    sale(transactionId, daysAgo(days), {
      ...{ clicks: [shown], clickId: shown.clickId, sentClickId: true },
      ...{ amountCents: 4_900, customerKey },
    });
  /** Returns, for each customer, who has sent the click with the customer: a backend or a browser. */
  const evidenceOf = async ({ clickId }: Shown) => {
    const rows = await world.rows(
      `select c.customer_key as who, k.evidence from customer_clicks k join customers c on c.id = k.customer_id
       where k.click_id = ? order by c.customer_key`,
      clickId,
    );
    return Object.fromEntries(rows.map(({ who, evidence }) => [String(who), evidence]));
  };
  /** Records a sale of c1 with a click of ben's, and corrects its customer to c2. Returns the click. */
  const sellAndMove = async (days = 7) => {
    const shown = click(ben, 9);
    await sellBy("t1", days, shown);
    await correct("t1", { customerKey: "c2" }, [shown]);
    return shown;
  };
  return { ...shop, sellBy, evidenceOf, sellAndMove };
}

describe("a click that a correction of its sale moved to another customer", () => {
  it("a click that a correction of its sale moved to another customer doesn't take precedence over a click that the first customer sends later", async () => {
    const { sellBy, sellAndMove, evidenceOf, click, books, consistent } = await open();
    const shown = await sellAndMove();
    expect(await evidenceOf(shown)).toEqual({ c1: "moved", c2: "key" });
    await sellBy("t2", 6, click(anna, 14));
    expect(await books()).toMatchObject({
      "t1~1": ["ben", "click", "pending", 980],
      t2: ["anna", "click", "pending", 980],
    });
    await consistent();
  });

  it("a click that a correction of its sale moved to another customer isn't used for a sale of the first customer with a click that is too old", async () => {
    const { sellBy, sellAndMove, click, books, consistent } = await open({ attributionWindowDays: 9 });
    await sellAndMove();
    await sellBy("t2", 4, click(anna, 20));
    expect(await books()).toMatchObject({ t2: [null, expect.anything(), "void", 0] });
    await consistent();
  });

  it("a click that a correction of its sale moved to another customer counts for the first customer again once they send it", async () => {
    const { sellBy, sellAndMove, evidenceOf, books, consistent } = await open();
    const shown = await sellAndMove();
    await sellBy("t2", 5, shown);
    expect(await evidenceOf(shown)).toEqual({ c1: "key", c2: "key" });
    expect(await books()).toMatchObject({ t2: ["ben", "click", "pending", 980] });
    await consistent();
  });

  it("a click that a correction of its sale moved to another customer moves back when the sale is corrected back", async () => {
    const { sellAndMove, correct, evidenceOf, books, consistent } = await open();
    const shown = await sellAndMove();
    await correct("t1~1", { customerKey: "c1" }, [shown]);
    expect(await evidenceOf(shown)).toEqual({ c1: "key", c2: "moved" });
    expect(await books()).toMatchObject({ "t1~2": ["ben", "click", "pending", 980] });
    await consistent();
  });

  it("a click that a correction of its sale moved to another customer identifies only the second customer in a call without a customer_key", async () => {
    const { sellAndMove, sellBy, world, consistent } = await open();
    await sellBy("t2", 5, await sellAndMove(), null);
    const rows = await world.rows(
      `select c.customer_key as who from sales s join customers c on c.id = s.customer_id
       where s.program_id = ? and s.transaction_id = 't2'`,
      world.programId,
    );
    expect(rows.map(({ who }) => who)).toEqual(["c2"]);
    await consistent();
  });

  it("a click that a correction of its sale moved to another customer also stays with the first customer if they have sent it with another sale or with their lead", async () => {
    const { click, sellBy, lead, correct, evidenceOf, books, consistent } = await open();
    const [twice, led] = [click(ben, 9), click(ben, 8)];
    await sellBy("t1", 7, twice);
    await sellBy("t2", 6, twice);
    await correct("t1", { customerKey: "c2" }, [twice]);
    expect(await evidenceOf(twice)).toEqual({ c1: "key", c2: "key" });
    await lead("key", [led], "c3", { occurredAt: daysAgo(7) });
    await sellBy("t3", 6, led, "c3");
    await correct("t3", { customerKey: "c4" }, [led]);
    expect(await evidenceOf(led)).toEqual({ c3: "key", c4: "key" });
    expect(await books()).toMatchObject({ t2: ["ben", "click", "pending", 980] });
    await consistent();
  });

  it("a click that a correction of its sale moved to another customer stays with the first customer if it has attributed another sale of theirs", async () => {
    const { sell, sellAndMove, evidenceOf, books, consistent } = await open();
    await sell("t0", 4);
    const shown = await sellAndMove(3);
    expect(await evidenceOf(shown)).toEqual({ c1: "key", c2: "key" });
    expect(await books()).toMatchObject({ t0: ["ben", "click", "pending", 980] });
    await consistent();
  });
});
