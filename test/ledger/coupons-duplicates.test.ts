import { expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();
const minute = 60_000;

it("a duplicate_source signal raised after a coupon attributed the sale keeps its time when a click attributes the sale to the same partner", async () => {
  const { world, sale, lead, click, books, consistent } = await openShop(own.server.url);
  const sold = daysAgo(1);
  const told = (step: number) => ({ at: daysAgo(0) + step });
  await sale("t1", sold, { ...told(0), amountCents: 4_900 });
  await sale("t2", sold + minute, { ...told(1), amountCents: 4_900 });
  await sale("t3", sold - minute, { ...told(2), amountCents: 900, couponCodes: ["ANNA5"] });
  await lead("key", [click(anna, 3)], "c1", { ...told(3), occurredAt: daysAgo(3) });
  expect(await books()).toMatchObject({
    t1: ["anna", "click", "pending", 980],
    t2: ["anna", "click", "pending", 980],
  });
  const raised = await world.rows(
    `select s.transaction_id as t, g.raised_at - ? as step from commission_signals g
     join commissions c on c.id = g.commission_id join sales s on s.id = c.sale_id
     where g.program_id = ? and g.code = 'duplicate_source'`,
    daysAgo(0),
    world.programId,
  );
  expect(raised).toEqual([{ t: "t2", step: 2 }]);
  await consistent();
});
