import { describe, expect, test } from "vitest";
import { openDashboard, shown } from "../support/dashboard.ts";
import { attributeDirectly, type FinalSource } from "../support/direct-attribution.ts";
import { explained } from "../support/explain.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const staff = usersOfFile();
const since = daysAgo(5);
const boundAt = daysAgo(4);

/** A program whose customer "c" was attributed to Alice five days ago by an import or a member, not by a click. */
async function attributed(source: FinalSource) {
  const shop = await openDashboard(staff);
  const { world, alice } = shop;
  const sell = (transaction_id: string, body: object = {}) =>
    shop.sale({ transaction_id, amount_cents: 1_000, customer_key: "c", ...body });
  await sell("known", { occurred_at: at(daysAgo(8)) });
  await attributeDirectly(world, "c", { source, partner: alice, since, boundAt });
  return { ...shop, sell };
}

describe.each(["import", "person"] as const)("an attribution by %s", (source) => {
  test("a customer's attribution by an import or a member earns commissions for sales since the attribution's start, not for earlier sales", async () => {
    const shop = await attributed(source);
    const { world, alice, sell, events } = shop;
    const sold = await sell("after");
    expect(sold).toMatchObject({
      attributed: true,
      partner_code: alice.code,
      source,
      commission: { amount_cents: 200 },
    });
    expect(await sell("at", { occurred_at: at(since) })).toMatchObject({ attributed: true, source });
    const before = await sell("before", { occurred_at: at(since - 1) });
    expect(before).toMatchObject({ attributed: false, reason: "no_click", commission: { status: "void" } });
    expect(before).not.toHaveProperty("source");

    const { data } = await shown(events());
    expect(data.map(({ transaction_id, source, click_id }) => [transaction_id, source, click_id])).toEqual([
      ["after", source, null],
      ["at", source, null],
      ["before", null, null],
      ["known", null, null],
    ]);
    const path = `/api/programs/${world.programId}/commissions`;
    const list = await shown(staff.viewer.get<{ data: Record<string, unknown>[] }>(path));
    expect(list.data.map(({ source, sub, partnerCode }) => [source, sub, partnerCode])).toEqual([
      [source, null, alice.code],
      [source, null, alice.code],
    ]);
  });

  test("an attribution by an import or a member is explained without a click", async () => {
    const shop = await attributed(source);
    const { alice, sell } = shop;
    await sell("after");
    await sell("before", { occurred_at: at(since - 1) });
    const how = { import: "by an import", person: "by a member's assignment" }[source];
    const ofCustomer = await explained(shop, { customer_key: "c" });
    expect(ofCustomer).toMatchObject({
      customer: { source, since: at(since), evidence: null },
      candidates: [],
      verdict: { attributed: true, partner_code: alice.code },
    });
    expect(ofCustomer.verdict.message).toContain(`belongs to partner ${alice.code}, ${how}, from `);
    expect(await explained(shop, { transaction_id: "after" })).toMatchObject({
      commission: { source, partner_code: alice.code },
      candidates: [],
      missing: [],
    });
    const ofBefore = await explained(shop, { transaction_id: "before" });
    expect(ofBefore).toMatchObject({ verdict: { attributed: false }, missing: [{ code: "no_click" }] });
    expect(ofBefore.verdict.message).toMatch(/the customer's sales are attributed to their partner only from .* on\.$/);
  });
});

describe.each(["import", "person"] as const)("an attribution by %s that follows other calls", (source) => {
  test("attributing a customer by an import or a member doesn't change the attribution of the customer's earlier leads", async () => {
    const shop = await openDashboard(staff);
    const { world, alice, bob } = shop;
    const { lead_id } = await shop.lead({ customer_key: "c", occurred_at: at(daysAgo(8)) });
    await shop.browserLead({ customer_key: "browser's", click_id: shop.click(bob, daysAgo(9)) });
    for (const key of ["c", "browser's"]) {
      await attributeDirectly(world, key, { source, partner: alice, since, boundAt: Date.now() });
      expect(await shop.sale({ customer_key: key, transaction_id: key })).toMatchObject({
        partner_code: alice.code,
        source,
      });
    }
    const ofLead = await explained(shop, { lead_id });
    expect(ofLead).toMatchObject({ verdict: { attributed: false, source: null }, missing: [{ code: "no_click" }] });
    expect(ofLead.missing[0]?.remedy).toBe("Nothing to do: later sales earn.");
    const [bobs] = await world.rows(
      "select id from leads where program_id = ? and partner_id = ?",
      world.programId,
      bob.id,
    );
    expect((await explained(shop, { lead_id: Number(bobs?.id) })).verdict).toMatchObject({
      partner_code: bob.code,
      source: "click",
      message: expect.not.stringContaining(" from "),
    });
    expect((await explained(shop, { customer_key: "browser's" })).candidates).toEqual([]);
  });

  test.each(["alice", "bob"] as const)(
    "attributing a customer by an import or a member doesn't change an earlier sale that a browser's lead attributed to partner %s",
    async (name) => {
      const shop = await openDashboard(staff);
      const { world, alice } = shop;
      const first = shop[name];
      await shop.browserLead({ customer_key: "c", click_id: shop.click(first, daysAgo(9)) });
      await shop.sale({ customer_key: "c", transaction_id: "before", occurred_at: at(daysAgo(6)) });
      await attributeDirectly(world, "c", { source, partner: alice, since, boundAt: Date.now() });
      await shop.sale({ customer_key: "c", transaction_id: "after" });
      const sold = await shown(shop.events({ eventType: "sale" }));
      expect(sold.data.map((event) => [event.transaction_id, event.partnerCode, event.source])).toEqual([
        ["after", alice.code, source],
        ["before", first.code, "click"],
      ]);
    },
  );

  test("once a customer is attributed by an import or a member, an explanation doesn't list the clicks of later calls", async () => {
    const shop = await attributed(source);
    const { bob, sell } = shop;
    await sell("first");
    await sell("second", { click_id: shop.click(bob, daysAgo(0.5)) });
    await shop.lead({ customer_key: "c", click_id: shop.click(bob, daysAgo(0.4)) });
    expect((await explained(shop, { transaction_id: "second" })).candidates).toEqual([]);
  });
});

describe.each(["import", "person"] as const)("an attribution by %s is final immediately", (source) => {
  test("once a customer is attributed by an import or a member, a lead or sale with another partner's click doesn't change the partner", async () => {
    const shop = await attributed(source);
    const { alice, bob, sell, world } = shop;
    expect(await shop.lead({ customer_key: "c", click_id: shop.click(bob) })).toMatchObject({
      attributed: true,
      partner_code: alice.code,
    });
    expect(await sell("a", { click_id: shop.click(bob, daysAgo(0.5)) })).toMatchObject({
      partner_code: alice.code,
      source,
    });
    expect(await sell("b", { click_id: shop.click(bob), occurred_at: at(since - 1) })).toMatchObject({
      attributed: false,
      reason: "no_click",
    });
    const [customer] = await world.rows(
      "select source, partner_id from customers where program_id = ?",
      world.programId,
    );
    expect({ ...customer }).toEqual({ source, partner_id: alice.id });
    expect((await explained(shop, { transaction_id: "a" })).candidates).toEqual([]);
    expect((await explained(shop, { customer_key: "c" })).customer?.locked_since).toBe(at(boundAt));
  });

  test("once a customer is attributed by an import or a member, sales from before the attribution's start stay without a partner, even if sent later", async () => {
    const shop = await attributed(source);
    const { sell, world, alice } = shop;
    await sell("before", { occurred_at: at(daysAgo(9)) });
    await sell("after", { occurred_at: at(daysAgo(1)) });
    await sell("earlier", { occurred_at: at(daysAgo(10)) });
    const rows = await world.rows(
      "select s.transaction_id as t, c.partner_id as partner from sales s join commissions c on c.sale_id = s.id where s.program_id = ? order by s.id",
      world.programId,
    );
    expect(rows.map(({ t, partner }) => [t, partner])).toEqual([
      ["known", null],
      ["before", null],
      ["after", alice.id],
      ["earlier", null],
    ]);
  });
});

test("once the attribution of a sale is final, the database refuses to change the stored source of the attribution", async () => {
  const { sell, world } = await attributed("import");
  const { commission_id } = await sell("a");
  await expect(
    world.write({ sql: "update commissions set source = 'person' where id = ?", args: [commission_id] }),
  ).rejects.toThrow("the attribution of a sale is final");
});
