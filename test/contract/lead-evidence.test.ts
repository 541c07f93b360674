import { describe, expect, it } from "vitest";
import { eventually } from "../support/isolated-service.ts";
import { at, createProgramFixture, day, daysAgo, type ProgramFixture } from "../support/program-fixture.ts";

describe("a click sent with a key, after a click sent by a browser,", () => {
  it.each([
    ["older", daysAgo(20)],
    ["newer", daysAgo(1)],
  ])(
    "an %s click that a lead sends with the program's key takes precedence over a browser's click",
    async (_, instant) => {
      const { browserLead, lead, sale, click, alice, bob, countedLeads } = await createProgramFixture();
      await browserLead({ click_id: click(alice, daysAgo(10)), customer_key: "u" });
      const moved = await lead({ click_id: click(bob, instant), customer_key: "u" });
      expect(moved).toMatchObject({ attributed: true, partner_code: bob.code, moved: true });
      expect([await countedLeads(alice), await countedLeads(bob)]).toEqual([0, 1]);
      const sold = await sale({ customer_key: "u" });
      expect(sold).toMatchObject({ partner_code: bob.code, commission: { unconfirmed: false } });
    },
  );

  it("a click that a sale sends with the program's key takes precedence over a browser's click, and also moves the counted lead to the new partner", async () => {
    const { browserLead, sale, click, alice, bob, countedLeads } = await createProgramFixture();
    await browserLead({ click_id: click(alice), customer_key: "u" });
    const sold = await sale({ customer_key: "u", click_id: click(bob, daysAgo(20)) });
    expect(sold).toMatchObject({ attributed: true, partner_code: bob.code, commission: { unconfirmed: false } });
    expect([await countedLeads(alice), await countedLeads(bob)]).toEqual([0, 1]);
  });

  it("a browser's click counts like a click sent with the program's key as soon as the server sends it too", async () => {
    const { browserLead, lead, click, alice, bob } = await createProgramFixture();
    const [newest, older] = [click(alice, daysAgo(1)), click(bob, daysAgo(30))];
    await browserLead({ click_id: newest, customer_key: "u" });
    await lead({ click_id: older, customer_key: "u" });
    expect(await lead({ click_id: older, customer_key: "u" })).toMatchObject({
      partner_code: bob.code,
      duplicate: true,
    });
    expect(await lead({ click_id: newest, customer_key: "u" })).toMatchObject({
      partner_code: alice.code,
      moved: true,
    });
  });

  it.each<[string, (shop: ProgramFixture) => Promise<{ partner_code: string }>]>([
    ["lead", ({ lead, click, bob }) => lead({ click_id: click(bob), customer_key: "u" })],
    ["sale", ({ sale, click, bob }) => sale({ click_id: click(bob), customer_key: "u" })],
  ])(
    "a click sent with the program's key takes precedence over a browser's click even after a sale, which moves to the new partner: sent with a %s",
    async (_, tell) => {
      const shop = await createProgramFixture();
      const { browserLead, sale, click, alice, bob, all, countedLeads } = shop;
      await browserLead({ click_id: click(alice, daysAgo(2)), customer_key: "u" });
      await sale({ customer_key: "u" });
      expect(await tell(shop)).toMatchObject({ attributed: true, partner_code: bob.code });
      expect([await countedLeads(alice), await countedLeads(bob)]).toEqual([0, 1]);
      const [commission] = await all("commissions");
      expect(commission).toMatchObject({
        partner_id: bob.id,
        is_unconfirmed: 0,
        status: "pending",
        amount_cents: 2_000,
      });
    },
  );

  it.each<[string, (shop: ProgramFixture, clickId: string) => Promise<unknown>]>([
    ["a lead", ({ lead }, click_id) => lead({ click_id, customer_key: "u" })],
    ["a sale", ({ sale }, click_id) => sale({ click_id, customer_key: "u" })],
  ])(
    "another partner's click sent with the program's key has no effect after %s has confirmed the attribution by a browser's click",
    async (_, confirm) => {
      const shop = await createProgramFixture();
      const { browserLead, lead, sale, click, alice, bob, all } = shop;
      const clickId = click(alice, daysAgo(2));
      await browserLead({ click_id: clickId, customer_key: "u" });
      await sale({ customer_key: "u" });
      await confirm(shop, clickId);
      expect(await lead({ click_id: click(bob), customer_key: "u" })).toMatchObject({ partner_code: alice.code });
      expect(await sale({ click_id: click(bob), customer_key: "u" })).toMatchObject({ partner_code: alice.code });
      for (const row of await all("commissions"))
        expect(row).toMatchObject({ partner_id: alice.id, is_unconfirmed: 0 });
    },
  );
});

describe("a commission attributed only by a browser's click", () => {
  const sellLongAgo = async (shop: ProgramFixture) => {
    const clickId = shop.click(shop.alice, daysAgo(30));
    await shop.browserLead({ click_id: clickId, customer_key: "u" });
    const sold = await shop.sale({ customer_key: "u", occurred_at: at(daysAgo(20)) });
    expect(sold.commission).toMatchObject({ status: "pending", unconfirmed: true, amount_cents: 2_000 });
    return clickId;
  };
  const commissionOf = async ({ all }: ProgramFixture) => (await all("commissions"))[0];

  it("a commission attributed only by a browser's click isn't approved automatically", async () => {
    const shop = await createProgramFixture();
    await sellLongAgo(shop);
    // This commission becomes due after the unconfirmed one. So the maintenance that approves it has looked at the
    // unconfirmed one too.
    const sellOnHold = () =>
      shop.sale({
        customer_key: "v",
        click_id: shop.click(shop.alice, daysAgo(30)),
        occurred_at: at(Date.now() - 15 * day + 1_000),
      });
    const { commission_id } = await eventually(sellOnHold, ({ commission }) => commission.status === "pending");
    const statusOf = async () => (await shop.all("commissions")).find(({ id }) => id === commission_id)?.status;
    await expect.poll(statusOf).toBe("approved");
    expect(await commissionOf(shop)).toMatchObject({ status: "pending", is_unconfirmed: 1 });
  });

  it.each<[string, (shop: ProgramFixture, clickId: string) => Promise<unknown>]>([
    ["lead with the same click", ({ lead }, clickId) => lead({ click_id: clickId, customer_key: "u" })],
    [
      "lead with another click",
      ({ lead, click, alice }) => lead({ click_id: click(alice, daysAgo(21)), customer_key: "u" }),
    ],
    ["sale with the same click", ({ sale }, clickId) => sale({ click_id: clickId, customer_key: "u" })],
    ["sale by the click alone", ({ sale }, clickId) => sale({ click_id: clickId })],
  ])(
    "a commission attributed only by a browser's click is confirmed by a call with the program's key for the same partner: a %s",
    async (_, confirm) => {
      const shop = await createProgramFixture();
      await confirm(shop, await sellLongAgo(shop));
      const released = (commission: Awaited<ReturnType<typeof commissionOf>>) => commission?.status === "approved";
      expect(await eventually(() => commissionOf(shop), released)).toMatchObject({
        is_unconfirmed: 0,
        amount_cents: 2_000,
      });
      const later = await shop.sale({ customer_key: "u" });
      expect(later.commission.unconfirmed).toBe(false);
    },
  );

  it("a commission attributed only by a browser's click stays unconfirmed after a call with the program's key but without a click", async () => {
    const shop = await createProgramFixture();
    await sellLongAgo(shop);
    await shop.lead({ customer_key: "u" });
    await shop.sale({ customer_key: "u" });
    expect((await shop.all("commissions")).map((row) => row.is_unconfirmed)).toEqual([1, 1]);
  });
});
