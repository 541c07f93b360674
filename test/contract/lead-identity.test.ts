import { describe, expect, it } from "vitest";
import { createProgramFixture, daysAgo, type ProgramFixture } from "../support/program-fixture.ts";

const keysOf = async ({ all }: ProgramFixture) => (await all("customers")).map(({ customer_key }) => customer_key);
const buyersOf = async ({ all }: ProgramFixture) => new Set((await all("sales")).map(({ customer_id }) => customer_id));

describe("a customer known only by a click", () => {
  it.each<[string, (shop: ProgramFixture, click_id: string) => Promise<unknown>]>([
    ["a lead", ({ lead }, click_id) => lead({ click_id, customer_key: "u" })],
    ["a sale", ({ sale }, click_id) => sale({ click_id, customer_key: "u" })],
  ])(
    "a customer known only by a click receives a customer_key from %s with the program's key and the click, and keeps their sales",
    async (_, name) => {
      const shop = await createProgramFixture();
      const { lead, sale, click, alice, countedLeads } = shop;
      const clickId = click(alice);
      const first = await lead({ click_id: clickId });
      await sale({ click_id: clickId });
      await name(shop, clickId);
      expect(await keysOf(shop)).toEqual(["u"]);
      expect(await shop.all("leads")).toMatchObject([{ customer_key: "u", moved_operation_id: null }]);

      expect(await sale({ customer_key: "u" })).toMatchObject({ attributed: true, partner_code: alice.code });
      expect(await lead({ customer_key: "u" })).toEqual({ ...first, duplicate: true });
      expect((await buyersOf(shop)).size).toBe(1);
      expect(await countedLeads(alice)).toBe(1);
    },
  );

  it("a customer known only by a click receives a customer_key even if attributed by a browser's lead", async () => {
    const shop = await createProgramFixture();
    const clickId = shop.click(shop.alice);
    await shop.browserLead({ click_id: clickId });
    expect(await shop.lead({ click_id: clickId, customer_key: "u" })).toMatchObject({ duplicate: true });
    expect(await keysOf(shop)).toEqual(["u"]);
    expect((await shop.sale({ customer_key: "u" })).commission.unconfirmed).toBe(false);
  });

  it("a customer known only by a click doesn't receive a customer_key from a browser", async () => {
    const shop = await createProgramFixture();
    const clickId = shop.click(shop.alice);
    await shop.lead({ click_id: clickId });
    await shop.browserLead({ click_id: clickId, customer_key: "stranger" });
    expect(await keysOf(shop)).toContain(null);
  });

  it("a customer known only by a click receives only one customer_key: a second customer_key with the same click creates another customer", async () => {
    const shop = await createProgramFixture();
    const { lead, sale, click, alice, countedLeads } = shop;
    const clickId = click(alice);
    const first = await lead({ click_id: clickId });
    await lead({ click_id: clickId, customer_key: "u" });
    const second = await lead({ click_id: clickId, customer_key: "v" });
    expect(second).toMatchObject({ attributed: true, partner_code: alice.code });
    expect(second).not.toHaveProperty("duplicate");
    expect(second.lead_id).not.toBe(first.lead_id);
    expect(await keysOf(shop)).toEqual(["u", "v"]);

    await sale({ customer_key: "u" });
    expect(await sale({ customer_key: "v" })).toMatchObject({ attributed: true });
    expect((await buyersOf(shop)).size).toBe(2);
    expect(await countedLeads(alice)).toBe(2);
  });

  it("a customer with or without a customer_key is identified by a click that no other customer has sent", async () => {
    const shop = await createProgramFixture();
    const { lead, sale, click, alice, bob } = shop;
    const [nameless, named] = [click(alice), click(bob)];
    await lead({ click_id: nameless });
    await lead({ click_id: named, customer_key: "u" });
    expect(await lead({ click_id: nameless })).toMatchObject({ duplicate: true, partner_code: alice.code });
    expect(await lead({ click_id: named })).toMatchObject({ duplicate: true, partner_code: bob.code });
    expect(await sale({ click_id: named })).toMatchObject({ attributed: true, partner_code: bob.code });
    expect(await keysOf(shop)).toEqual([null, "u"]);
  });

  it("a call with the clicks of two customers identifies neither of them, and creates a new customer", async () => {
    const shop = await createProgramFixture();
    const { lead, click, alice, bob } = shop;
    const clicks = [click(alice, daysAgo(2)), click(bob, daysAgo(1))];
    for (const click_id of clicks) await lead({ click_id });
    const named = await lead({ click_ids: clicks, customer_key: "u" });
    expect(named).toMatchObject({ attributed: true, partner_code: bob.code });
    expect(named).not.toHaveProperty("duplicate");
    expect(await keysOf(shop)).toEqual([null, null, "u"]);
  });
});

describe("two existing customers", () => {
  it("two customers aren't merged if a call with the customer_key of one has the click of the other, who has no customer_key", async () => {
    const shop = await createProgramFixture();
    const { lead, sale, click, alice, bob } = shop;
    const [theirs, own] = [click(alice, daysAgo(1)), click(bob, daysAgo(2))];
    const { lead_id } = await lead({ click_id: own, customer_key: "u" });
    await lead({ click_id: theirs });
    expect(await lead({ click_id: theirs, customer_key: "u" })).toMatchObject({
      lead_id,
      partner_code: alice.code,
      moved: true,
    });
    expect(await keysOf(shop)).toEqual(["u", null]);
    await sale({ customer_key: "u" });
    await sale({ click_id: theirs });
    expect((await buyersOf(shop)).size).toBe(2);
  });

  it("two customers aren't merged if a call with the customer_key of one also has the click of the other", async () => {
    const shop = await createProgramFixture();
    const { lead, click, alice, bob, all } = shop;
    const [first, second] = [click(alice, daysAgo(2)), click(bob, daysAgo(1))];
    await lead({ click_id: first, customer_key: "u" });
    await lead({ click_id: second, customer_key: "v" });
    await lead({ click_ids: [first, second], customer_key: "u" });
    await lead({ click_ids: [first, second], customer_key: "v" });
    expect(await keysOf(shop)).toEqual(["u", "v"]);
    expect(await all("leads")).toHaveLength(2);
  });
});

it("customers of two programs with the same customer_key are unrelated", async () => {
  const [shop, other] = [await createProgramFixture(), await createProgramFixture()];
  await shop.lead({ click_id: shop.click(shop.alice), customer_key: "u" });
  expect(await other.lead({ customer_key: "u" })).toMatchObject({ attributed: false, reason: "no_click" });
  expect(await other.sale({ customer_key: "u" })).toMatchObject({ attributed: false, reason: "no_click" });
});
