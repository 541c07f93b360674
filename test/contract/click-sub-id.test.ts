import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { explained } from "../support/explain.ts";
import { at, createProgramFixture, daysAgo, inTestMode, type ProgramFixture } from "../support/program-fixture.ts";

const withSub = (partner: ProgramFixture["alice"], sub: string) => ({
  affiliate_url: `${partner.landingUrl}&aff_sub=${sub}`,
});
const subsOf = async ({ all }: ProgramFixture) => (await all("commissions")).map(({ sub }) => sub);

describe("a click", () => {
  it("a click stores its sub-id in the live and the test book, and null if it has none", async () => {
    const { visit, all, alice } = await createProgramFixture();
    await visit(withSub(alice, "News_1.a-b"));
    await visit({ ...withSub(alice, "tested"), ...inTestMode });
    await visit();
    expect((await all("clicks")).map(({ sub, page_url }) => [sub, page_url])).toEqual([
      ["News_1.a-b", `${alice.landingUrl}&aff_sub=News_1.a-b`],
      ["tested", `${alice.landingUrl}&aff_sub=tested`],
      [null, alice.landingUrl],
    ]);
  });

  it.each(["", "a%20b", "%C3%BC", "jane%40mail.example", "x".repeat(65)])(
    "a click is recorded without the invalid sub-id %j",
    async (sub) => {
      const { visit, all, alice } = await createProgramFixture();
      expect(await visit(withSub(alice, sub))).toMatchObject({ success: true, partner_code: alice.code });
      expect(await all("clicks")).toMatchObject([{ sub: null, page_url: alice.landingUrl }]);
    },
  );

  it("a click takes its sub-id from its link, even if its code is in another parameter, and not from the page that sends the click", async () => {
    const { visit, all, bob } = await createProgramFixture();
    const page_url = "https://shop.example/?aff_sub=of-the-page";
    await visit({ affiliate_url: `https://shop.example/?via=${bob.code}&aff_sub=summer`, code_param: "via", page_url });
    expect(await all("clicks")).toMatchObject([{ partner_id: bob.id, sub: "summer", page_url }]);
  });
});

describe("a commission has the sub-id of its click", () => {
  it("the explanation and the API's lists show the sub-id of a commission's click", async () => {
    const shop = await createProgramFixture();
    const { visit, lead, sale, api, world, alice } = shop;
    const { click_id } = await visit(withSub(alice, "newsletter"));
    await lead({ click_id, customer_key: "c" });
    await sale({ customer_key: "c", transaction_id: "first" });
    await sale({ customer_key: "c", transaction_id: "renewal", is_recurring: true });
    await sale({ customer_key: "stranger" });
    expect(await subsOf(shop)).toEqual(["newsletter", "newsletter", null]);

    const { commission, events } = await explained(shop, { transaction_id: "renewal" });
    expect(commission).toMatchObject({ source: "click", sub: "newsletter" });
    expect(events[0]).toMatchObject({ type: "click", id: click_id, sub: "newsletter" });
    const path = "/api/v1/programs/me/commissions";
    const { body } = await api.request<{ data: readonly JsonObject[] }>("GET", path, { key: world.key });
    expect(body.data.map(({ transaction_id, sub }) => [transaction_id, sub])).toEqual([
      ["renewal", "newsletter"],
      ["first", "newsletter"],
    ]);
  });

  it("the sub-id of a commission is that of the click that the attribution model chose", async () => {
    const shop = await createProgramFixture({ program: { attributionModel: "first_click" } });
    const { visit, sale, alice, bob } = shop;
    const first = await visit(withSub(bob, "first"));
    const second = await visit(withSub(alice, "second"));
    const sold = await sale({ customer_key: "c", click_ids: [first.click_id, second.click_id].map(String) });
    expect(sold).toMatchObject({ partner_code: bob.code });
    expect(await subsOf(shop)).toEqual(["first"]);
  });

  it("the sub-id of a commission changes when a lead moves the customer and the sale to another partner's click", async () => {
    const shop = await createProgramFixture();
    const { visit, browserLead, lead, sale, alice, bob } = shop;
    const first = await visit(withSub(alice, "first"));
    await browserLead({ click_id: first.click_id, customer_key: "c" });
    await sale({ customer_key: "c", transaction_id: "a" });
    await sale({ customer_key: "c", transaction_id: "b" });
    expect(await subsOf(shop)).toEqual(["first", "first"]);
    const second = await visit(withSub(bob, "second"));
    await lead({ click_id: second.click_id, customer_key: "c" });
    expect(await subsOf(shop)).toEqual(["second", "second"]);
    expect(await explained(shop, { transaction_id: "a" })).toMatchObject({
      commission: { partner_code: bob.code, sub: "second" },
    });
  });

  it("the sub-id of a commission doesn't change when later calls name other clicks of the customer", async () => {
    const shop = await createProgramFixture();
    const { visit, lead, sale, click, alice } = shop;
    await lead({ click_id: click(alice, daysAgo(2)), customer_key: "c", occurred_at: at(daysAgo(2)) });
    await sale({ customer_key: "c" });
    const { click_id } = await visit(withSub(alice, "later"));
    await sale({ customer_key: "c", click_id });
    expect(await subsOf(shop)).toEqual([null, null]);
  });

  it("the database doesn't let a final commission change its sub-id", async () => {
    const { visit, sale, world, alice } = await createProgramFixture();
    const { click_id } = await visit(withSub(alice, "newsletter"));
    const { commission_id } = await sale({ customer_key: "c", click_id });
    for (const sub of ["other", null]) {
      const changed = world.write({ sql: "update commissions set sub = ? where id = ?", args: [sub, commission_id] });
      await expect(changed).rejects.toThrow("the attribution of a sale is final");
    }
  });
});
