import { describe, expect, it } from "vitest";
import { at, createProgramFixture, daysAgo, type ProgramFixture, stateOf } from "../support/program-fixture.ts";

const settled = (code: string) => ({
  success: true,
  message: "Lead tracked successfully",
  attributed: true,
  partner_code: code,
});

describe("a lead from a browser", () => {
  it("a lead from a browser attributes a new customer by the lead's click, and the response has only the outcome and the partner's code", async () => {
    const { browserLead, sale, click, alice, countedLeads } = await createProgramFixture();
    expect(await browserLead({ click_id: click(alice), customer_key: "u" })).toEqual(settled(alice.code));
    expect(await countedLeads(alice)).toBe(1);
    expect(await sale({ customer_key: "u" })).toMatchObject({ attributed: true, partner_code: alice.code });
  });

  it("a lead from a browser attributes a customer by the click alone, without a customer_key", async () => {
    const { browserLead, sale, click, alice } = await createProgramFixture();
    const clickId = click(alice);
    expect(await browserLead({ click_id: clickId })).toEqual(settled(alice.code));
    expect(await sale({ click_id: clickId })).toMatchObject({ attributed: true, partner_code: alice.code });
  });

  it("a lead from a browser with an expired click attributes no customer, returns the expiry as the reason, and doesn't affect a later lead", async () => {
    const { browserLead, click, alice, bob, all, countedLeads } = await createProgramFixture();
    const body = { click_id: click(alice, daysAgo(61)), customer_key: "u" };
    const expired = { reason: "attribution_window_expired", click_age_days: 61, window_days: 60 };
    for (const _ of ["once", "again"]) {
      const reply = await browserLead(body);
      expect(reply).toMatchObject({ success: true, attributed: false, ...expired });
      expect(reply).not.toHaveProperty("lead_id");
    }
    expect(await all("leads")).toHaveLength(1);
    expect(await all("customers")).toEqual([]);

    expect(await browserLead({ click_id: click(bob), customer_key: "u" })).toEqual(settled(bob.code));
    expect(await countedLeads(bob)).toBe(1);
  });

  it("a lead from a browser ignores occurred_at", async () => {
    const { browserLead, click, alice, all } = await createProgramFixture();
    const start = Date.now();
    await browserLead({ click_id: click(alice), customer_key: "u", occurred_at: at(daysAgo(10)) });
    expect(Number((await all("leads"))[0]?.occurred_at)).toBeGreaterThanOrEqual(start);
  });
});

describe("a lead from a browser for a known customer or click", () => {
  type Known = [how: string, meet: (shop: ProgramFixture) => Promise<unknown>];
  it.each<Known>([
    [
      "from a browser's lead",
      ({ browserLead, click, alice }) => browserLead({ click_id: click(alice), customer_key: "u" }),
    ],
    ["from the backend's lead", ({ lead, click, alice }) => lead({ click_id: click(alice), customer_key: "u" })],
    ["from a lead without a click", ({ lead }) => lead({ customer_key: "u" })],
    [
      "from a lead with an expired click",
      ({ lead, click, alice }) => lead({ click_id: click(alice, daysAgo(90)), customer_key: "u" }),
    ],
    ["from a sale alone", ({ sale }) => sale({ customer_key: "u" })],
    ["from an attributed sale", ({ sale, click, alice }) => sale({ customer_key: "u", click_id: click(alice) })],
  ])(
    "a browser's lead changes nothing and receives the usual response if the customer is known %s",
    async (_, meet) => {
      const shop = await createProgramFixture();
      await meet(shop);
      const before = await stateOf(shop);
      const { browserLead, click, bob } = shop;
      const stranger = { click_id: click(bob), customer_key: "u", email: "stranger@shop.example" };
      expect(await browserLead(stranger)).toEqual(settled(bob.code));
      expect(await stateOf(shop)).toEqual(before);
    },
  );

  it("a lead from a browser changes nothing and receives the usual response if the click has already attributed a customer from a browser", async () => {
    const shop = await createProgramFixture();
    const { browserLead, click, alice } = shop;
    const clickId = click(alice);
    await browserLead({ click_id: clickId, customer_key: "u" });
    const before = await stateOf(shop);
    for (const customer_key of ["v", "w", undefined]) {
      expect(await browserLead({ click_id: clickId, customer_key })).toEqual(settled(alice.code));
    }
    expect(await stateOf(shop)).toEqual(before);
  });

  it("a lead from a browser changes nothing and receives the usual response if the customer is known only by the same click", async () => {
    const shop = await createProgramFixture();
    const clickId = shop.click(shop.alice);
    await shop.browserLead({ click_id: clickId });
    const before = await stateOf(shop);
    const again = { click_id: shop.click(shop.bob, daysAgo(0)), click_ids: [clickId] };
    expect(await shop.browserLead(again)).toEqual(settled(shop.bob.code));
    expect(await stateOf(shop)).toEqual(before);
  });
});

describe("one click id attributes at most one customer from a browser", () => {
  it("two customers who share a device are attributed by their own clicks", async () => {
    const { browserLead, sale, click, alice, bob } = await createProgramFixture();
    const [first, second] = [click(alice, daysAgo(2)), click(bob, daysAgo(1))];
    await browserLead({ click_id: first, customer_key: "u" });
    await browserLead({ click_id: second, click_ids: [first, second], customer_key: "v" });
    expect(await sale({ customer_key: "u" })).toMatchObject({ partner_code: alice.code });
    expect(await sale({ customer_key: "v" })).toMatchObject({ partner_code: bob.code });
  });

  it("a click that the server sent for one customer can attribute another customer from a browser", async () => {
    const { lead, browserLead, sale, click, alice } = await createProgramFixture();
    const clickId = click(alice);
    await lead({ click_id: clickId, customer_key: "u" });
    expect(await browserLead({ click_id: clickId, customer_key: "v" })).toEqual(settled(alice.code));
    expect(await sale({ customer_key: "v" })).toMatchObject({ attributed: true, commission: { unconfirmed: true } });
  });

  it("a click that a browser sent and the server confirmed can't attribute a second customer from a browser", async () => {
    const { lead, browserLead, click, alice, all } = await createProgramFixture();
    const clickId = click(alice);
    await browserLead({ click_id: clickId, customer_key: "u" });
    await lead({ click_id: clickId, customer_key: "u" });
    expect(await browserLead({ click_id: clickId, customer_key: "v" })).toEqual(settled(alice.code));
    expect(await all("customers")).toHaveLength(1);
  });
});
