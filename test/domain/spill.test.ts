import { describe, expect, it } from "vitest";
import type { SpilledClick } from "#ledger/rpc.ts";
import { Spill } from "#ledger/spill.ts";
import { memoryStorage } from "../../scripts/sample/node-ledger.ts";

const click: SpilledClick = {
  programId: 1,
  isTest: false,
  clickId: "",
  linkId: 5,
  partnerId: 9,
  codeParam: null,
  sub: null,
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

/** Opens a spill with room for three clicks. `start` opens it again on the same storage. */
function openSpill() {
  const storage = memoryStorage();
  const start = () => new Spill(storage, 3);
  return { start, spill: start() };
}
const keep = (spill: Spill, clickId: string, eventId: string | null = null) =>
  spill.keep({ ...click, clickId, eventId });
const keepAll = (spill: Spill, ...clickIds: string[]) => clickIds.map((clickId) => keep(spill, clickId));

it("the storage for clicks during a database outage accepts a limited number of waiting clicks, also after a restart", () => {
  const { spill, start } = openSpill();
  expect(keepAll(spill, "a", "b", "c", "d")).toEqual(["a", "b", "c", undefined]);
  expect(keep(start(), "e")).toBeUndefined();
});

it("the storage for clicks during a database outage has room again after clicks are released, however many it has stored before", () => {
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

it("the storage for clicks during a database outage keeps a click that is set aside, and doesn't count it as waiting", () => {
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

it("the storage for clicks during a database outage stores an event that is sent again only once", () => {
  const { spill } = openSpill();
  expect([1, 2, 3, 4].map((n) => keep(spill, `${n}`, "event"))).toEqual(["1", "1", "1", "1"]);
  expect(keepAll(spill, "a", "b", "c")).toEqual(["a", "b", undefined]);
});

describe("spilled clicks that are set aside", () => {
  function setAside() {
    const { start } = openSpill();
    const spill = start();
    keepAll(spill, "a", "b", "c");
    for (const { seq } of spill.oldest(3)) spill.setAside(seq);
    keepAll(spill, "d", "e");
    return { spill, start };
  }
  const ids = (spill: Spill) => spill.list(0, 100).clicks.map(({ click }) => click.clickId);
  const waiting = (spill: Spill) => spill.oldest(100).map(({ click }) => click.clickId);

  it("clicks that were stored during an outage and set aside are listed in pages, in the order in which they were stored", () => {
    const { spill, start } = setAside();
    for (const each of [spill, start()]) {
      const first = each.list(0, 2);
      expect(first).toMatchObject({ waiting: 2, setAside: 3 });
      expect(first.clicks.map(({ click: kept }) => kept)).toEqual([
        { ...click, clickId: "a" },
        { ...click, clickId: "b" },
      ]);
      const rest = each.list(first.clicks.at(-1)?.id ?? 0, 2);
      expect(rest.clicks.map(({ click: kept }) => kept.clickId)).toEqual(["c"]);
      expect(each.list(rest.clicks.at(-1)?.id ?? 0, 2).clicks).toEqual([]);
    }
  });

  it("clicks that were set aside after an outage wait again after a retry, oldest first and even without room, and can be released", () => {
    const { spill, start } = setAside();
    expect([spill.retry(), spill.retry()]).toEqual([3, 0]);
    for (const each of [spill, start()]) {
      expect(waiting(each)).toEqual(["a", "b", "c", "d", "e"]);
      expect(each.list(0, 2)).toEqual({ waiting: 5, setAside: 0, clicks: [] });
      expect(keep(each, "f")).toBeUndefined();
    }
    spill.release(spill.oldest(5).map(({ seq }) => seq));
    expect(spill.isEmpty).toBe(true);
  });

  it("clicks that were set aside after an outage can be discarded by their ids, and waiting clicks can't", () => {
    const { spill, start } = setAside();
    const [a, b] = spill.list(0, 2).clicks.map(({ id }) => id);
    const inLine = spill.oldest(2).map(({ seq }) => seq);
    expect(spill.discard([a ?? 0, b ?? 0, a ?? 0, ...inLine, 99])).toBe(2);
    for (const each of [spill, start()]) {
      expect(ids(each)).toEqual(["c"]);
      expect(waiting(each)).toEqual(["d", "e"]);
      expect(each.list(0, 2)).toMatchObject({ waiting: 2, setAside: 1 });
    }
  });
});
