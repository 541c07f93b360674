import { expect, it } from "vitest";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, ben, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

async function open(windowUntil: "lead" | "first_sale", attributionModel: "last_click" | "first_click" = "last_click") {
  const program = { attributionWindowDays: 10, windowUntil, attributionModel };
  const shop = await openShop(own.server.url, { program });
  const sellBy = (transactionId: string, days: number, shown: ReturnType<typeof shop.click>) =>
    shop.sale(transactionId, daysAgo(days), {
      ...{ clicks: [shown], clickId: shown.clickId, sentClickId: true, amountCents: 4_900 },
    });
  return { ...shop, sellBy };
}

it("a sale's click attributes the customer if the click of the customer's lead came after the customer's first sale", async () => {
  const { sell, sellBy, click, refer, books, consistent } = await open("lead");
  await refer(ben, 7, 1);
  await sell("t1", 37);
  await sellBy("t2", 13, click(anna, 40));
  expect(await books()).toMatchObject({
    t1: ["anna", "click", "approved", 980],
    t2: ["anna", "click", "pending", 980],
  });
  await consistent();
});

it("a sale's click attributes the customer if the click of the customer's lead is too old for the customer's first sale", async () => {
  const { sellBy, click, refer, books, consistent } = await open("first_sale");
  await refer(ben, 31, 30);
  await sellBy("t1", 2, click(anna, 3));
  expect(await books()).toMatchObject({ t1: ["anna", "click", "pending", 980] });
  await consistent();
});

it.each([
  ["first_click", 39, [37, 22], ["after_the_event", "newer"]],
  ["last_click", 36, [60, 37], ["older", "outside_window"]],
] as const)(
  "under %s, the audit checks the outcomes of the clicks of a lead that is reported after a sale whose click is too old",
  async (model, days, shown, outcomes) => {
    const { world, sellBy, click, lead, consistent } = await open("first_sale", model);
    await sellBy("t1", 2, click(anna, days));
    await lead(
      "key",
      shown.map((each) => click(ben, each)),
      "c1",
      { occurredAt: daysAgo(35) },
    );
    const [found] = await world.rows("select id, explanation from leads where program_id = ?", world.programId);
    const { candidates } = JSON.parse(String(found?.explanation)) as { candidates: { outcome: string }[] };
    expect(candidates.map(({ outcome }) => outcome)).toEqual(outcomes);
    await consistent();
    await world.rows(
      `update leads set explanation =
         json_set(explanation, '$.candidates[0].outcome', 'older', '$.candidates[1].outcome', 'newer') where id = ?`,
      Number(found?.id),
    );
    const broken = "leads whose explanation has another click, partner or reason";
    expect(await world.audit()).toMatchObject([{ broken, rows: [{ lead: found?.id }] }]);
  },
);
