import { describe, expect, it } from "vitest";
import { day, inTestMode, minute } from "../support/program-fixture.ts";
import { allAtOnce, createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

const counted = async ({ row, world }: SalesFixture, isTest = 0) => {
  const sql = "select coalesce(sum(clicks), 0) as n from daily_counts where program_id = ? and is_test = ?";
  return (await row(sql, world.programId, isTest)).n;
};

const partnersOf = async (till: SalesFixture) => (await till.all("clicks")).map((row) => row.partner_id);

describe("an event_id that was sent before", () => {
  it("answers the same click, and counts once", async () => {
    const till = await createSalesFixture();
    const first = await till.visit({ event_id: "e" });
    expect(await till.visit({ event_id: "e" })).toEqual(first);
    expect(await till.visit({ event_id: "e", page_title: "again" }, { ip: "192.0.2.9" })).toEqual(first);
    expect(await till.all("clicks")).toMatchObject([{ click_id: first.click_id, event_id: "e", page_title: null }]);
    expect(await counted(till)).toBe(1);
  });

  it("shows the same test event", async () => {
    const till = await createSalesFixture();
    const first = await till.visit({ event_id: "e", ...inTestMode });
    expect(await till.visit({ event_id: "e", ...inTestMode })).toEqual(first);
    expect(await till.all("clicks")).toMatchObject([{ id: first.data.eventId, is_test: 1 }]);
  });

  it("is one click among 30 copies at once", async () => {
    const till = await createSalesFixture();
    const replies = await allAtOnce(30, () => till.visit({ event_id: "e" }, { browser: true }));
    expect(new Set(replies.map(({ click_id }) => click_id)).size).toBe(1);
    expect(await till.all("clicks")).toMatchObject([{ click_id: replies[0]?.click_id }]);
    expect(await counted(till)).toBe(1);
  });

  it("is another click on another link, and each goes on being its own", async () => {
    const till = await createSalesFixture();
    const visits = [till.alice, till.bob].map(({ landingUrl, code }) => async () => {
      const reply = await till.visit({ affiliate_url: landingUrl, event_id: "e" });
      expect(reply.partner_code).toBe(code);
      return reply;
    });
    const first = await Promise.all(visits.map((visit) => visit()));
    expect(new Set(first.map(({ click_id }) => click_id)).size).toBe(2);
    expect(await Promise.all(visits.map((visit) => visit()))).toEqual(first);
    expect((await partnersOf(till)).toSorted()).toEqual([till.alice.id, till.bob.id].toSorted());
    expect(await counted(till)).toBe(2);
  });

  it("takes no click from a visitor whose id a stranger has guessed", async () => {
    const till = await createSalesFixture();
    const { alice, bob } = till;
    const guessed = await till.visit({ affiliate_url: bob.landingUrl, event_id: "session-1" }, { ip: "192.0.2.66" });
    const { click_id, partner_code } = await till.visit({ event_id: "session-1" }, { browser: true });
    expect(partner_code).toBe(alice.code);
    expect(click_id).not.toBe(guessed.click_id);
    expect(await partnersOf(till)).toEqual([bob.id, alice.id]);
  });

  it("is one click a link among 30 copies of two links at once", async () => {
    const till = await createSalesFixture();
    const links = [till.alice, till.bob];
    const replies = await allAtOnce(30, (i) =>
      till.visit({ affiliate_url: links[i % 2]?.landingUrl ?? "", event_id: "e" }, { browser: true }),
    );
    const told = new Set(replies.map(({ click_id, partner_code }) => `${partner_code} ${click_id}`));
    const stored = await till.all("clicks");
    const codeOf = (id: unknown) => links.find((partner) => partner.id === id)?.code;
    expect(stored).toHaveLength(2);
    expect(told).toEqual(new Set(stored.map((row) => `${codeOf(row.partner_id)} ${row.click_id}`)));
    expect(await counted(till)).toBe(2);
  });

  it("is another test click with a link than without one", async () => {
    const till = await createSalesFixture();
    const without = { affiliate_url: null, event_id: "e", ...inTestMode };
    const first = await till.visit(without);
    expect(first).not.toHaveProperty("partner_code");
    const linked = await till.visit({ event_id: "e", ...inTestMode });
    expect(linked).toMatchObject({ partner_code: till.alice.code });
    expect(linked.click_id).not.toBe(first.click_id);
    expect(await till.visit(without)).toEqual(first);
  });

  it("is another click in another program", async () => {
    const [till, other] = [await createSalesFixture(), await createSalesFixture()];
    const { click_id } = await till.visit({ event_id: "e" });
    expect((await other.visit({ event_id: "e" })).click_id).not.toBe(click_id);
    expect([await counted(till), await counted(other)]).toEqual([1, 1]);
  });

  it("is another click in the other book", async () => {
    const till = await createSalesFixture();
    const live = await till.visit({ event_id: "e" });
    const test = await till.visit({ event_id: "e", ...inTestMode });
    expect(test.click_id).not.toBe(live.click_id);
    expect((await till.visit({ event_id: "e" })).click_id).toBe(live.click_id);
    expect([await counted(till), await counted(till, 1)]).toEqual([1, 1]);
  });

  it("is another click when 24 hours have passed since the first, and is that one from then on", async () => {
    const till = await createSalesFixture();
    const back = async (ms: number) => {
      const before = Date.now() - ms;
      await till.write("update click_event_ids set recorded_at = ? where program_id = ?", before, till.world.programId);
      await till.forge(
        ["events that happened after they were recorded"],
        "update clicks set created_at = ? where program_id = ?",
        before,
        till.world.programId,
      );
    };
    const first = await till.visit({ event_id: "e" });
    await back(day - minute);
    expect(await till.visit({ event_id: "e" })).toEqual(first);
    expect(await counted(till)).toBe(1);

    await back(day + 1);
    const second = await till.visit({ event_id: "e" });
    expect(second.click_id).not.toBe(first.click_id);
    expect(await till.visit({ event_id: "e" })).toEqual(second);
    expect(await till.all("clicks")).toMatchObject([{ click_id: first.click_id }, { click_id: second.click_id }]);
    expect(await counted(till)).toBe(2);
  });
});

it("other ids are other clicks, to the letter; without one each click is its own", async () => {
  const till = await createSalesFixture();
  const bodies = [{ event_id: "e" }, { event_id: "E" }, { event_id: "e " }, { event_id: "x".repeat(64) }, {}, {}];
  const replies = await Promise.all(bodies.map((body) => till.visit(body)));
  expect(new Set(replies.map(({ click_id }) => click_id)).size).toBe(bodies.length);
  expect(await counted(till)).toBe(bodies.length);
});
