import { describe, expect, it } from "vitest";
import { at, createProgramFixture, day, daysAgo } from "../support/program-fixture.ts";

describe("a lead with a key and another click, for a customer without attributed sales", () => {
  it.each([
    ["last_click", 5, 9, "stays"],
    ["last_click", 5, 1, "moves"],
    ["first_click", 5, 9, "moves"],
    ["first_click", 5, 1, "stays"],
    // The first click has expired and is ignored, so the second one is the first valid click.
    ["first_click", 70, 1, "moves"],
  ] as const)(
    "with the model %s and clicks %i and then %i days old, a customer without sales stays with the first partner or moves to the second: %s",
    async (attributionModel, first, second, does) => {
      const { lead, click, alice, bob, countedLeads } = await createProgramFixture({ program: { attributionModel } });
      const clickId = click(alice, daysAgo(first));
      const before = await lead({ click_id: clickId, customer_key: "u", occurred_at: at(daysAgo(first)) });
      const after = await lead({ click_id: click(bob, daysAgo(second)), customer_key: "u" });
      const lead_id = before.lead_id;
      if (does === "moves") {
        expect(after).toEqual({ ...before, partner_code: bob.code, moved: true });
        expect([await countedLeads(alice), await countedLeads(bob)]).toEqual([0, 1]);
      } else {
        expect(after).toEqual({ ...before, duplicate: true });
        expect([await countedLeads(alice), await countedLeads(bob)]).toEqual([1, 0]);
      }
      expect(await lead({ customer_key: "u" })).toMatchObject({ lead_id, duplicate: true });
    },
  );

  it("a lead with the program's key and another partner's click moves the counted lead to the new partner, on the day of the first lead", async () => {
    const { lead, click, world, alice, bob } = await createProgramFixture({
      program: { timezone: "Pacific/Auckland" },
    });
    const told = daysAgo(7);
    await lead({ click_id: click(alice, daysAgo(8)), customer_key: "u", occurred_at: at(told) });
    await lead({ click_id: click(bob, daysAgo(2)), customer_key: "u" });
    const counted = await world.rows(
      "select day, partner_id, leads from daily_counts where program_id = ? order by leads",
      world.programId,
    );
    const that = new Intl.DateTimeFormat("sv-SE", { timeZone: "Pacific/Auckland" }).format(told);
    expect(counted).toMatchObject([
      { day: that, partner_id: alice.id, leads: 0 },
      { day: that, partner_id: bob.id, leads: 1 },
    ]);
  });

  it("a second lead with the program's key and a newer click attributes a customer who wasn't attributed", async () => {
    const { lead, click, alice, countedLeads } = await createProgramFixture();
    const { lead_id } = await lead({ customer_key: "u" });
    await lead({ customer_key: "u", click_id: click(alice, daysAgo(90)) });
    expect(await countedLeads(alice)).toBe(0);
    const moved = await lead({ customer_key: "u", click_id: click(alice) });
    expect(moved).toMatchObject({ attributed: true, partner_code: alice.code, lead_id, moved: true });
    expect(await countedLeads(alice)).toBe(1);
  });

  it("a second lead with the program's key and a click attributes a customer together with their unattributed sale", async () => {
    const { lead, sale, click, alice } = await createProgramFixture();
    await lead({ customer_key: "u" });
    const { sale_id, commission_id } = await sale({ customer_key: "u" });
    const moved = await lead({ customer_key: "u", click_id: click(alice) });
    expect(moved).toMatchObject({ moved: true, attributed_sales: [{ sale_id, commission_id }] });
  });
});

describe("a customer's first attributed sale", () => {
  it.each([
    ["last_click", daysAgo(1)],
    ["first_click", daysAgo(30)],
  ] as const)(
    "a customer's first attributed sale locks the customer, so that no later click changes the partner (%s)",
    async (attributionModel, instant) => {
      const { lead, sale, click, alice, bob, countedLeads } = await createProgramFixture({
        program: { attributionModel },
      });
      const first = await lead({ click_id: click(alice, daysAgo(10)), customer_key: "u" });
      await sale({ customer_key: "u", occurred_at: at(daysAgo(2)) });
      expect(await lead({ click_id: click(bob, instant), customer_key: "u" })).toEqual({ ...first, duplicate: true });
      const later = await sale({ customer_key: "u", click_id: click(bob, instant) });
      expect(later).toMatchObject({ attributed: true, partner_code: alice.code });
      expect([await countedLeads(alice), await countedLeads(bob)]).toEqual([1, 0]);
    },
  );

  it("a customer's first sale doesn't lock the customer to a partner if the sale is unattributed because its click is too old", async () => {
    const { lead, sale, click, alice, bob } = await createProgramFixture();
    const own = { customer_key: "u", click_id: click(alice, daysAgo(80)) };
    const late = await sale({ ...own, occurred_at: at(daysAgo(3)) });
    expect(late).toMatchObject({ attributed: false, reason: "attribution_window_expired" });
    const reply = await lead({ click_id: click(bob, daysAgo(4)), customer_key: "u" });
    expect(reply).toMatchObject({ attributed: true, partner_code: bob.code });
    expect(reply.attributed_sales).toMatchObject([{ sale_id: late.sale_id }]);
  });

  it("a customer's first sale doesn't lock the customer to a partner if it is unattributed because it came after the window for the first sale", async () => {
    const { lead, sale, click, alice, bob } = await createProgramFixture({ program: { windowUntil: "first_sale" } });
    await lead({ click_id: click(alice, daysAgo(80)), customer_key: "u", occurred_at: at(daysAgo(79)) });
    const late = await sale({ customer_key: "u", occurred_at: at(daysAgo(3)) });
    expect(late).toMatchObject({ attributed: false, reason: "attribution_window_expired" });
    const moved = await lead({ click_id: click(bob, daysAgo(4)), customer_key: "u" });
    expect(moved).toMatchObject({ attributed: true, partner_code: bob.code, moved: true });
    expect(moved.attributed_sales).toMatchObject([{ sale_id: late.sale_id }]);
  });

  it("a customer's first attributed sale locks the customer to the partner even if the sale is fully refunded", async () => {
    const { lead, sale, refund, click, alice, bob } = await createProgramFixture();
    await lead({ click_id: click(alice, Date.now() - day), customer_key: "u" });
    await sale({ transaction_id: "t", customer_key: "u" });
    await refund({ transaction_id: "t" });
    const again = await lead({ click_id: click(bob, Date.now()), customer_key: "u" });
    expect(again).toMatchObject({ partner_code: alice.code, duplicate: true });
  });
});

describe("a lead that happened before the stored one", () => {
  it("a lead that happened before the stored lead doesn't replace the newer click with an older click", async () => {
    const { lead, sale, click, alice, bob } = await createProgramFixture();
    const first = await lead({ click_id: click(alice, daysAgo(2)), customer_key: "u" });
    const late = await lead({ click_id: click(bob, daysAgo(9)), customer_key: "u", occurred_at: at(daysAgo(8)) });
    expect(late).toEqual({ ...first, duplicate: true });
    expect(await sale({ customer_key: "u" })).toMatchObject({ partner_code: alice.code });
  });
});
