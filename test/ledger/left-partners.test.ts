import { expect, it } from "vitest";
import { mostPartnersLeft } from "#domain/coupons.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { uniqueWord } from "../support/unique-word.ts";
import { anna, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

const policies = [{ minSaleCents: 2_000, currency: "EUR" }];
const small = { amountCents: 1_000, couponCodes: ["ANNA5"] };

it("a coupon doesn't attribute a customer who has left the coupon's partner, even if the customer's sale earned this partner nothing", async () => {
  const { sale, sell, books, balances, consistent } = await openShop(own.server.url, { policies });
  await sale("t1", daysAgo(3), small);
  expect(await books()).toMatchObject({ t1: ["anna", "coupon", "void", 0, "chosen"] });
  await sell("t2", 5, "BEN10");
  await sell("t3", 7, "ANNA5");
  expect(await books()).toMatchObject({
    t1: ["ben", "coupon", "void", 0, "outranked"],
    t3: [null, "no_click", "void", 0, "outranked"],
  });
  expect(await balances()).toEqual({ ben: 980 });
  await consistent();
});

it("a corrected sale doesn't attribute the customer to a partner whom they had left", async () => {
  const { sale, sell, correct, books, balances, consistent } = await openShop(own.server.url, { policies });
  await sale("t1", daysAgo(3), small);
  await sell("t2", 5, "BEN10");
  await correct("t2", { customerKey: "c2" });
  expect(await books()).toMatchObject({ t1: [null, "no_click", "void", 0, "outranked"] });
  expect(await balances()).toEqual({ ben: 980 });
  await consistent();
});

it("a coupon doesn't attribute a customer who left the coupon's partner two attributions ago", async () => {
  const { sale, sell, correct, books, balances, consistent } = await openShop(own.server.url, { policies });
  await sale("t1", daysAgo(3), small);
  await sell("t2", 5, "BEN10");
  await sell("t3", 7, "CLARA5");
  await sell("t4", 9, "ANNA5");
  expect(await books()).toMatchObject({
    t1: ["clara", "coupon", "void", 0, "outranked"],
    t2: ["clara", "coupon", "pending", 980, "outranked"],
    t4: [null, "no_click", "void", 0, "outranked"],
  });
  expect(await balances()).toEqual({ clara: 1_960 });
  await correct("t3", { customerKey: "c2" });
  expect(await books()).toMatchObject({ t1: [null, "existing_customer", "void", 0, "existing_customer"] });
  await consistent();
});

it("no further coupon attributes a customer who has left as many partners as a sale can store", async () => {
  const numbers = Array.from({ length: mostPartnersLeft + 2 }, (_, i) => i);
  const { world, sell, consistent } = await openShop(own.server.url, {
    policies,
    partners: numbers.map((i) => ({ code: uniqueWord(`partner-${i}-`) })),
    coupons: numbers.map((i) => ({ codes: [`CODE${i}`], partner: i })),
  });
  for (const i of numbers) await sell(`t${i}`, 1 + i / 2, `CODE${i}`);
  const [first] = await world.rows(
    `select c.partner_id, c.explanation from commissions c join sales s on s.id = c.sale_id
     where s.program_id = ? and s.transaction_id = 't0'`,
    world.programId,
  );
  expect(Number(first?.partner_id)).toBe(world.partners[mostPartnersLeft]?.id);
  const { movedFrom } = JSON.parse(String(first?.explanation)) as { movedFrom: { before: number[] } };
  expect(movedFrom.before).toEqual(
    world.partners
      .slice(0, mostPartnersLeft - 1)
      .map(({ id }) => id)
      .toReversed(),
  );
  await consistent();
});

it("a click takes precedence over the coupons of all partners whom a customer has left", async () => {
  const { sale, sell, refer, books, balances, consistent } = await openShop(own.server.url, { policies });
  await sale("t1", daysAgo(3), small);
  await sale("t2", daysAgo(5), { ...small, couponCodes: ["BEN10"] });
  await sale("t3", daysAgo(7), { ...small, couponCodes: ["CLARA5"] });
  await refer(anna, 12);
  await sell("t4", 9, "BEN10");
  expect(await books()).toMatchObject({
    t1: ["anna", "click", "void", 0, "chosen"],
    t3: ["anna", "click", "void", 0, "outranked"],
    t4: ["anna", "click", "pending", 980, "outranked"],
  });
  expect(await balances()).toEqual({ anna: 980 });
  await consistent();
});
