import { expect, it } from "vitest";
import { continueMove } from "#operations/customer-events.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, ben, clara, openShop } from "./coupons-shop.ts";

// A coupon sale before a browser's click takes the customer from the click. A correction of that sale returns them.

const own = isolatedDatabase();

it("a coupon's commission becomes unconfirmed if only a browser reported the click that attributes the customer after a correction", async () => {
  const { world, lead, click, sell, correct, decide, books, consistent } = await openShop(own.server.url);
  await lead("browser", [click(ben, 9)]);
  await sell("t1", 12, "BEN10");
  await sell("t2", 8);
  await correct("t1", { customerKey: "c2" });
  expect(await books()).toMatchObject({ t2: ["ben", "click", "pending", 980] });
  const unconfirmed = async () =>
    (await world.rows("select id from commissions where program_id = ? and is_unconfirmed", world.programId)).map(
      ({ id }) => Number(id),
    );
  const ids = await unconfirmed();
  expect(ids).toHaveLength(1);
  await consistent();
  expect(await decide(ids[0] ?? 0, "approved")).toMatchObject({ answer: { outcomes: [{ result: "approved" }] } });
  expect(await unconfirmed()).toEqual([]);
  await consistent();
});

it("many sales move in steps to the partner of a click that only a browser reported, and their commissions are unconfirmed", async () => {
  const { world, lead, click, sell, correct, maintain, pending, consistent } = await openShop(own.server.url);
  await lead("browser", [click(anna, 9)]);
  await sell("t1", 12, "BEN10");
  for (let i = 0; i < 120; i += 1) await sell(`f${i}`, 8 - i / 1_000);
  await correct("t1", { customerKey: "c2" });
  expect(await pending()).toBe(1);
  await sell("f120", 1);
  await maintain();
  expect(await pending()).toBe(0);
  const rows = await world.rows(
    `select c.partner_id as partner, c.is_unconfirmed, c.status, count(*) as n
     from sales s join commissions c on c.sale_id = s.id where s.program_id = ? and transaction_id like 'f%' group by 1, 2, 3`,
    world.programId,
  );
  expect(rows).toEqual([{ partner: world.partners[anna]?.id, is_unconfirmed: 1, status: "pending", n: 121 }]);
  await consistent();
});

it("an approval that would confirm a customer is refused while the customer's sales move to a browser's partner", async () => {
  const { world, ledger, lead, click, sell, correct, decide, maintain, consistent } = await openShop(own.server.url);
  await lead("browser", [click(anna, 9)]);
  await sell("t1", 12, "BEN10");
  for (let i = 0; i < 120; i += 1) await sell(`f${i}`, 8 - i / 1_000);
  await correct("t1", { customerKey: "c2" });
  const [moving] = await world.rows("select customer_id from pending_moves order by customer_id desc limit 1");
  const { programId } = world;
  const move = { kind: "continue-move", operationId: "m", at: daysAgo(0), programId, customerId: moving?.customer_id };
  await ledger.submit(ledger.taskOf(continueMove, move as never, daysAgo(0))).outcome;
  const [first] = await world.rows(
    "select id from commissions where program_id = ? and sale_id = (select id from sales where program_id = ? and transaction_id = 'f0')",
    ...[programId, programId],
  );
  expect(await decide(Number(first?.id), "approved")).toMatchObject({
    answer: { outcomes: [{ result: "refused", refusal: { code: "moving" } }] },
  });
  await maintain();
  expect(await decide(Number(first?.id), "approved")).toMatchObject({ answer: { outcomes: [{ result: "approved" }] } });
  const rows = await world.rows(
    "select partner_id as partner, count(*) as n from sales where program_id = ? and transaction_id like 'f%' group by 1",
    programId,
  );
  expect(rows).toEqual([{ partner: world.partners[anna]?.id, n: 120 }]);
  await consistent();
});

it.each(["lead", "assignment"])(
  "a sale that a correction left with a paused browser's partner earns for the partner of a later %s",
  async (later) => {
    const { world, lead, click, refer, sell, correct, change, books, balances, consistent } = await openShop(
      own.server.url,
    );
    await lead("browser", [click(anna, 9)]);
    await sell("t1", 12, "BEN10");
    await sell("t2", 8);
    const idOf = (index: number) => world.partners[index]?.id ?? 0;
    await change({ kind: "update-partner", partnerId: idOf(anna), changes: { status: "paused" } } as never);
    await correct("t1", { customerKey: "c2" });
    expect(await books()).toMatchObject({ t2: ["anna", "click", "void", 0] });
    if (later === "lead") await refer(clara, 8.5, 8.4);
    else {
      const to = { customerKey: "c1", partnerId: idOf(ben), since: daysAgo(9), payPast: true, reason: "r" };
      await change({ kind: "assign-customer", ...to } as never);
    }
    const partner = later === "lead" ? "clara" : "ben";
    expect(await books()).toMatchObject({ t2: [partner, later === "lead" ? "click" : "person", "pending", 980] });
    expect(await balances()).toEqual(later === "lead" ? { ben: 980, clara: 980 } : { ben: 1_960 });
    await consistent();
  },
);
