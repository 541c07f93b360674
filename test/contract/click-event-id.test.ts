import { describe, expect, it } from "vitest";
import { day, inTestMode, minute } from "../support/shop.ts";
import { allAtOnce, openTill, type Till } from "../support/till.ts";

const counted = async ({ row, world }: Till, isTest = 0) => {
  const sql = "select coalesce(sum(clicks), 0) as n from daily_counts where program_id = ? and is_test = ?";
  return (await row(sql, world.programId, isTest)).n;
};

describe("an event_id that was sent before", () => {
  it("answers the same click, and counts once", async () => {
    const till = await openTill();
    const first = await till.visit({ event_id: "e" });
    expect(await till.visit({ event_id: "e" })).toEqual(first);
    expect(await till.visit({ event_id: "e", page_title: "again" }, { ip: "192.0.2.9" })).toEqual(first);
    expect(await till.all("clicks")).toMatchObject([{ click_id: first.click_id, event_id: "e", page_title: null }]);
    expect(await counted(till)).toBe(1);
  });

  it("shows the same test event", async () => {
    const till = await openTill();
    const first = await till.visit({ event_id: "e", ...inTestMode });
    expect(await till.visit({ event_id: "e", ...inTestMode })).toEqual(first);
    expect(await till.all("clicks")).toMatchObject([{ id: first.data.eventId, is_test: 1 }]);
  });

  it("is one click among 30 copies at once", async () => {
    const till = await openTill();
    const replies = await allAtOnce(30, () => till.visit({ event_id: "e" }, { browser: true }));
    expect(new Set(replies.map(({ click_id }) => click_id)).size).toBe(1);
    expect(await till.all("clicks")).toMatchObject([{ click_id: replies[0]?.click_id }]);
    expect(await counted(till)).toBe(1);
  });

  it("is another click in another program", async () => {
    const [till, other] = [await openTill(), await openTill()];
    const { click_id } = await till.visit({ event_id: "e" });
    expect((await other.visit({ event_id: "e" })).click_id).not.toBe(click_id);
    expect([await counted(till), await counted(other)]).toEqual([1, 1]);
  });

  it("is another click in the other book", async () => {
    const till = await openTill();
    const live = await till.visit({ event_id: "e" });
    const test = await till.visit({ event_id: "e", ...inTestMode });
    expect(test.click_id).not.toBe(live.click_id);
    expect((await till.visit({ event_id: "e" })).click_id).toBe(live.click_id);
    expect([await counted(till), await counted(till, 1)]).toEqual([1, 1]);
  });

  it("is another click when 24 hours have passed since the first, and is that one from then on", async () => {
    const till = await openTill();
    const back = async (ms: number) => {
      const before = Date.now() - ms;
      await till.write("update click_events set recorded_at = ? where program_id = ?", before, till.world.programId);
      await till.write("update clicks set created_at = ? where program_id = ?", before, till.world.programId);
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
  const till = await openTill();
  const bodies = [{ event_id: "e" }, { event_id: "E" }, { event_id: "e " }, { event_id: "x".repeat(64) }, {}, {}];
  const replies = await Promise.all(bodies.map((body) => till.visit(body)));
  expect(new Set(replies.map(({ click_id }) => click_id)).size).toBe(bodies.length);
  expect(await counted(till)).toBe(bodies.length);
});
