import { describe, expect, it } from "vitest";
import { createProgramFixture, daysAgo, type ProgramFixture } from "../support/program-fixture.ts";

const openStrictShop = () => createProgramFixture({ program: { leadAuth: "server_required" } });

const provisional = {
  success: true,
  provisional: true,
  message:
    "Lead recorded as provisional. This program requires server-side (Bearer) lead tracking to settle attribution.",
};

describe("in a program that accepts leads only from a server", () => {
  it.each<[string, (shop: ProgramFixture) => Record<string, string>]>([
    ["a valid click", ({ click, alice }) => ({ click_id: click(alice), customer_key: "u" })],
    ["only a valid click", ({ click, alice }) => ({ click_id: click(alice) })],
    ["an expired click", ({ click, alice }) => ({ click_id: click(alice, daysAgo(90)), customer_key: "u" })],
  ])(
    "in a program that accepts leads only from a server, a browser's lead with %s is provisional, deduplicated, and not counted",
    async (_, bodyOf) => {
      const shop = await openStrictShop();
      const body = bodyOf(shop);
      expect(await shop.browserLead(body)).toEqual(provisional);
      expect(await shop.browserLead(body)).toEqual(provisional);
      expect(await shop.all("leads")).toMatchObject([{ is_provisional: 1, partner_id: null, customer_id: null }]);
      expect(await shop.all("customers")).toEqual([]);
      expect(await shop.countedLeads(shop.alice)).toBe(0);
      const readiness = await shop.api.readiness({ key: shop.world.key });
      expect(readiness.body).toMatchObject({ counts_24h: { leads: 0 }, last_event_at: { lead: null } });
    },
  );

  it("in a program that accepts leads only from a server, a browser's lead is provisional and doesn't attribute the customer's sales", async () => {
    const { browserLead, sale, click, alice, all } = await openStrictShop();
    const clickId = click(alice);
    await browserLead({ click_id: clickId, customer_key: "u" });
    expect(await sale({ customer_key: "u" })).toMatchObject({ attributed: false, reason: "customer_not_found" });
    expect(await all("ledger_entries")).toEqual([]);
  });

  it("in a program that accepts leads only from a server, a lead with the program's key is attributed only by a click in the lead's own body", async () => {
    const { browserLead, lead, click, alice, bob } = await openStrictShop();
    await browserLead({ click_id: click(alice), customer_key: "u" });
    expect(await lead({ customer_key: "u" })).toMatchObject({ attributed: false, reason: "no_click" });
    const own = await lead({ customer_key: "u", click_id: click(bob, daysAgo(9)) });
    expect(own).toMatchObject({ attributed: true, partner_code: bob.code });
  });

  it("in a program that accepts leads only from a server, a sale is attributed only by a click in the sale's own body", async () => {
    const { browserLead, sale, click, alice, bob } = await openStrictShop();
    await browserLead({ click_id: click(alice), customer_key: "u" });
    const sold = await sale({ customer_key: "u", click_id: click(bob, daysAgo(9)) });
    expect(sold).toMatchObject({ attributed: true, partner_code: bob.code, commission: { unconfirmed: false } });
  });

  it("in a program that accepts leads only from a server, a browser's lead of a known customer changes nothing, and gets the same response as a lead of a new customer", async () => {
    const { browserLead, lead, click, alice, bob, all } = await openStrictShop();
    await lead({ click_id: click(alice), customer_key: "u" });
    const customers = await all("customers");
    expect(await browserLead({ click_id: click(bob), customer_key: "u" })).toEqual(provisional);
    expect(await all("customers")).toEqual(customers);
  });

  it("in a program that accepts leads only from a server, a lead without an API key is refused if its click id is forged", async () => {
    const { api, world } = await openStrictShop();
    const reply = await api.lead({ program_id: world.programId, click_id: "forged", customer_key: "u" });
    expect(reply.status).toBe(400);
  });
});
