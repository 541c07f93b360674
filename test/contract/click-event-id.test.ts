import { describe, expect, it } from "vitest";
import { day, inTestMode, minute } from "../support/program-fixture.ts";
import { allAtOnce, createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

const counted = async ({ row, world }: SalesFixture, isTest = 0) => {
  const sql = "select coalesce(sum(clicks), 0) as n from daily_counts where program_id = ? and is_test = ?";
  return (await row(sql, world.programId, isTest)).n;
};

const partnersOf = async (shop: SalesFixture) => (await shop.all("clicks")).map((row) => row.partner_id);

describe("a click with an event_id that was sent before", () => {
  it("a click with an event_id that was sent before returns the first call's click, which is counted once", async () => {
    const shop = await createSalesFixture();
    const first = await shop.visit({ event_id: "e" });
    expect(await shop.visit({ event_id: "e" })).toEqual(first);
    expect(await shop.visit({ event_id: "e", page_title: "again" }, { ip: "192.0.2.9" })).toEqual(first);
    expect(await shop.all("clicks")).toMatchObject([{ click_id: first.click_id, event_id: "e", page_title: null }]);
    expect(await counted(shop)).toBe(1);
  });

  it("a test click with an event_id that was sent before returns the first call's test event", async () => {
    const shop = await createSalesFixture();
    const first = await shop.visit({ event_id: "e", ...inTestMode });
    expect(await shop.visit({ event_id: "e", ...inTestMode })).toEqual(first);
    expect(await shop.all("clicks")).toMatchObject([{ id: first.data.eventId, is_test: 1 }]);
  });

  it("30 concurrent copies of a click are stored as one click", async () => {
    const shop = await createSalesFixture();
    const replies = await allAtOnce(30, () => shop.visit({ event_id: "e" }, { browser: true }));
    expect(new Set(replies.map(({ click_id }) => click_id)).size).toBe(1);
    expect(await shop.all("clicks")).toMatchObject([{ click_id: replies[0]?.click_id }]);
    expect(await counted(shop)).toBe(1);
  });

  it("a click on another link with the same event_id is a new click", async () => {
    const shop = await createSalesFixture();
    const visits = [shop.alice, shop.bob].map(({ landingUrl, code }) => async () => {
      const reply = await shop.visit({ affiliate_url: landingUrl, event_id: "e" });
      expect(reply.partner_code).toBe(code);
      return reply;
    });
    const first = await Promise.all(visits.map((visit) => visit()));
    expect(new Set(first.map(({ click_id }) => click_id)).size).toBe(2);
    expect(await Promise.all(visits.map((visit) => visit()))).toEqual(first);
    expect((await partnersOf(shop)).toSorted()).toEqual([shop.alice.id, shop.bob.id].toSorted());
    expect(await counted(shop)).toBe(2);
  });

  it("a guessed event_id doesn't suppress a visitor's click", async () => {
    const shop = await createSalesFixture();
    const { alice, bob } = shop;
    const guessed = await shop.visit({ affiliate_url: bob.landingUrl, event_id: "session-1" }, { ip: "192.0.2.66" });
    const { click_id, partner_code } = await shop.visit({ event_id: "session-1" }, { browser: true });
    expect(partner_code).toBe(alice.code);
    expect(click_id).not.toBe(guessed.click_id);
    expect(await partnersOf(shop)).toEqual([bob.id, alice.id]);
  });

  it("30 concurrent copies of a click on two links are stored as one click per link", async () => {
    const shop = await createSalesFixture();
    const links = [shop.alice, shop.bob];
    const replies = await allAtOnce(30, (i) =>
      shop.visit({ affiliate_url: links[i % 2]?.landingUrl ?? "", event_id: "e" }, { browser: true }),
    );
    const told = new Set(replies.map(({ click_id, partner_code }) => `${partner_code} ${click_id}`));
    const stored = await shop.all("clicks");
    const codeOf = (id: unknown) => links.find((partner) => partner.id === id)?.code;
    expect(stored).toHaveLength(2);
    expect(told).toEqual(new Set(stored.map((row) => `${codeOf(row.partner_id)} ${row.click_id}`)));
    expect(await counted(shop)).toBe(2);
  });

  it("a test click with a link and one without a link are two clicks even if they have the same event_id", async () => {
    const shop = await createSalesFixture();
    const without = { affiliate_url: null, event_id: "e", ...inTestMode };
    const first = await shop.visit(without);
    expect(first).not.toHaveProperty("partner_code");
    const linked = await shop.visit({ event_id: "e", ...inTestMode });
    expect(linked).toMatchObject({ partner_code: shop.alice.code });
    expect(linked.click_id).not.toBe(first.click_id);
    expect(await shop.visit(without)).toEqual(first);
  });

  it("a click in another program with the same event_id is a new click", async () => {
    const [shop, other] = [await createSalesFixture(), await createSalesFixture()];
    const { click_id } = await shop.visit({ event_id: "e" });
    expect((await other.visit({ event_id: "e" })).click_id).not.toBe(click_id);
    expect([await counted(shop), await counted(other)]).toEqual([1, 1]);
  });

  it("a click in the other book (live or test) with the same event_id is a new click", async () => {
    const shop = await createSalesFixture();
    const live = await shop.visit({ event_id: "e" });
    const test = await shop.visit({ event_id: "e", ...inTestMode });
    expect(test.click_id).not.toBe(live.click_id);
    expect((await shop.visit({ event_id: "e" })).click_id).toBe(live.click_id);
    expect([await counted(shop), await counted(shop, 1)]).toEqual([1, 1]);
  });

  it("a click with the same event_id after 24 hours is a new click, and later repeats return the new click", async () => {
    const shop = await createSalesFixture();
    const back = async (ms: number) => {
      const before = Date.now() - ms;
      await shop.write("update click_event_ids set recorded_at = ? where program_id = ?", before, shop.world.programId);
      await shop.forge(
        ["events later than their recording"],
        "update clicks set created_at = ? where program_id = ?",
        before,
        shop.world.programId,
      );
    };
    const first = await shop.visit({ event_id: "e" });
    await back(day - minute);
    expect(await shop.visit({ event_id: "e" })).toEqual(first);
    expect(await counted(shop)).toBe(1);

    await back(day + 1);
    const second = await shop.visit({ event_id: "e" });
    expect(second.click_id).not.toBe(first.click_id);
    expect(await shop.visit({ event_id: "e" })).toEqual(second);
    expect(await shop.all("clicks")).toMatchObject([{ click_id: first.click_id }, { click_id: second.click_id }]);
    expect(await counted(shop)).toBe(2);
  });
});

it("event ids are compared exactly except for outer white space, and a click without an event id is always new", async () => {
  const shop = await createSalesFixture();
  const bodies = [{ event_id: "e" }, { event_id: "E" }, { event_id: "e " }, { event_id: "x".repeat(64) }, {}, {}];
  const replies = await Promise.all(bodies.map((body) => shop.visit(body)));
  expect(replies[2]?.click_id).toBe(replies[0]?.click_id);
  expect(new Set(replies.map(({ click_id }) => click_id)).size).toBe(bodies.length - 1);
  expect(await counted(shop)).toBe(bodies.length - 1);
});
