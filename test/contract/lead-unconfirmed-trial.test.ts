import { expect, it, onTestFinished } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";

const own = isolatedService();

/** A lead sent by a browser on the day of its click, so many days ago, in a program with a window of 60 days. */
async function trialFrom(daysBefore: number, program: WorldSettings["program"] = {}) {
  const world = await own.world({ partners: [{}, {}], program: { ...program, attributionWindowDays: 365 } });
  onTestFinished(() => expectLedgerConsistent(world));
  const shop = salesFixture(programFixture(world, own.api()));
  const clickAt = daysAgo(daysBefore);
  const click_id = shop.click(shop.alice, clickAt);
  await shop.browserLead({ customer_key: "c1", click_id });
  world.forged.add("customers without a lead, sale, import or assignment of the same time");
  // A browser's lead can't be backdated, so the test changes the stored dates.
  await world.change(
    {
      sql: "update customers set created_at = ?1, bound_at = ?1 where program_id = ?2",
      args: [clickAt, world.programId],
    },
    { sql: "update programs set attribution_window_days = 60 where id = ?", args: [world.programId] },
    {
      sql: `insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, before, after, created_at)
        values (-?1, ?1, 'shortened ' || ?1, 'u', 'program.updated', 'program ' || cast(?1 as integer), '{"attributionWindowDays":365}',
          '{"attributionWindowDays":60}', ?2)`,
      args: [world.programId, clickAt],
    },
  );
  return { shop, click_id };
}

it("after a trial longer than the attribution window, a sale with the program's key and the click of the browser's lead confirms the customer", async () => {
  const { shop, click_id } = await trialFrom(90);
  const { body } = await shop.sell({ customer_key: "c1", click_id });
  expect(body).toMatchObject({ partner_code: shop.alice.code, commission: { unconfirmed: false, amount_cents: 200 } });
});

it("after a trial longer than the attribution window, a lead with the program's key and the browser's click confirms the customer and earlier sales", async () => {
  const { shop, click_id } = await trialFrom(90);
  const { body } = await shop.sell({ occurred_at: at(daysAgo(20)) });
  expect(body.commission).toMatchObject({ unconfirmed: true, status: "pending" });
  expect(await shop.lead({ customer_key: "c1", click_ids: [click_id] })).toMatchObject({
    partner_code: shop.alice.code,
  });
  expect(await shop.commission(body.commission_id)).toMatchObject({ is_unconfirmed: 0, status: "approved" });
  expect((await shop.sell()).body.commission).toMatchObject({ unconfirmed: false });
});

it("after a trial longer than the attribution window, another click on the same partner's link on the same day doesn't confirm the customer", {
  tags: "soak",
}, async () => {
  const { shop } = await trialFrom(90);
  const { body } = await shop.sell();
  const other = shop.click(shop.alice, daysAgo(90));
  await shop.lead({ customer_key: "c1", click_id: other });
  await shop.sell({ customer_key: "c1", click_id: other });
  expect(await shop.commission(body.commission_id)).toMatchObject({ is_unconfirmed: 1, status: "pending" });
});

it("after a trial longer than the attribution window, the browser's click doesn't confirm the customer if windowUntil is first_sale", {
  tags: "soak",
}, async () => {
  const { shop, click_id } = await trialFrom(90, { windowUntil: "first_sale" });
  await shop.sell();
  await shop.sell({ customer_key: "c1", click_id });
  await shop.lead({ customer_key: "c1", click_id });
  for (const row of await shop.all("commissions"))
    expect(row).toMatchObject({ partner_id: shop.alice.id, is_unconfirmed: 1 });
});

it("after a trial longer than the attribution window, a sale with a newer click on another partner's link moves the customer to that partner", {
  tags: "soak",
}, async () => {
  const { shop } = await trialFrom(90);
  const { body } = await shop.sell({ customer_key: "c1", click_id: shop.click(shop.bob, daysAgo(3)) });
  expect(body).toMatchObject({ partner_code: shop.bob.code, commission: { unconfirmed: false } });
});
