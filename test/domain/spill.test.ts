import { expect, it } from "vitest";
import { Spill, type SpilledClick } from "../../src/ledger/spill.ts";
import { memoryStorage } from "../support/memory-storage.ts";

const click: SpilledClick = {
  programId: 1,
  isTest: false,
  clickId: "",
  linkId: 5,
  partnerId: 9,
  eventId: null,
  existingClickId: null,
  eventName: null,
  visitor: null,
  source: "browser",
  isBot: false,
  isPrefetch: false,
  pageUrl: null,
  referrerUrl: null,
  pageTitle: null,
  screenResolution: null,
  viewportSize: null,
  language: null,
  timezone: null,
  country: null,
  region: null,
  city: null,
  deviceType: null,
  os: null,
  browser: null,
  occurredAt: 1_000,
  createdAt: 1_000,
  day: "2026-11-01",
};

/** The spill of an object with room for three clicks, and the same when the object starts again. */
function openSpill() {
  const storage = memoryStorage();
  const start = () => new Spill(storage, 3);
  return { start, spill: start() };
}
const keep = (spill: Spill, clickId: string, eventId: string | null = null) =>
  spill.keep({ ...click, clickId, eventId });
const keepAll = (spill: Spill, ...clickIds: string[]) => clickIds.map((clickId) => keep(spill, clickId));

it("takes clicks while so many wait, not beyond, and after a restart neither", () => {
  const { spill, start } = openSpill();
  expect(keepAll(spill, "a", "b", "c", "d")).toEqual(["a", "b", "c", undefined]);
  expect(keep(start(), "e")).toBeUndefined();
});

it("has room again for those that are settled, however many were kept in its life", () => {
  const { spill } = openSpill();
  keepAll(spill, "first", "set aside");
  const [, aside] = spill.oldest(3);
  spill.setAside(aside?.seq ?? 0);
  for (let round = 0; round < 3; round += 1) {
    expect(keepAll(spill, `${round} a`, `${round} b`, `${round} c`)).toEqual([`${round} a`, `${round} b`, undefined]);
    spill.release(
      spill
        .oldest(3)
        .slice(1)
        .map(({ seq }) => seq),
    );
  }
});

it("counts a click that is set aside no longer, and keeps it", () => {
  const { spill, start } = openSpill();
  keepAll(spill, "a", "b", "c");
  for (const { seq } of spill.oldest(2)) {
    spill.setAside(seq);
    spill.setAside(seq);
    spill.release([seq]);
  }
  for (const each of [spill, start()]) expect(each.isEmpty).toBe(false);
  expect(keepAll(spill, "d", "e", "f")).toEqual(["d", "e", undefined]);
  spill.release(spill.oldest(3).map(({ seq }) => seq));
  for (const each of [spill, start()]) expect(each.isEmpty).toBe(true);
});

it("counts an event that is sent again once", () => {
  const { spill } = openSpill();
  expect([1, 2, 3, 4].map((n) => keep(spill, `${n}`, "event"))).toEqual(["1", "1", "1", "1"]);
  expect(keepAll(spill, "a", "b", "c")).toEqual(["a", "b", undefined]);
});
