import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AttributionTerms,
  attribute,
  type Binding,
  type Candidate,
  type FrozenBinding,
  saleWithinWindow,
} from "#domain/attribution.ts";
import { clockToleranceMs } from "#domain/calendar.ts";

const day = 86_400_000;
const now = Date.parse("2026-05-01T12:00:00Z");
const lastClick: AttributionTerms = { model: "last_click", windowDays: 60, windowUntil: "lead" };
const firstClick: AttributionTerms = { ...lastClick, model: "first_click" };
const tenDays: AttributionTerms = { ...lastClick, windowDays: 10 };
const untilSale: AttributionTerms = { ...tenDays, windowUntil: "first_sale" };

const click = (clickId: string, at: number): Candidate => ({ clickId, at, linkId: 1 });
const lead = (firstSaleAt?: number): Binding => ({ by: "lead", at: now, firstSaleAt });
const sale = (firstSaleAt = now): Binding => ({ by: "sale", at: now, firstSaleAt });

const chosen = (candidates: readonly Candidate[], terms: AttributionTerms, binding = lead()): string => {
  const result = attribute(candidates, terms, binding);
  return result.attributed ? result.click.clickId : result.reason;
};

describe("attribute", () => {
  it("an event without a click is attributed to no partner", () => {
    expect(attribute([], lastClick, lead())).toEqual({ attributed: false, reason: "no_click" });
    expect(attribute([], lastClick, sale())).toEqual({ attributed: false, reason: "no_click" });
  });

  it("attribution chooses the newest or the oldest click, as the model says, and the smaller id if two clicks have the same time", () => {
    const clicks = [click("b", now - 2), click("a", now - 2), click("d", now - 1), click("c", now - 1)];
    expect(chosen(clicks, lastClick)).toBe("c");
    expect(chosen(clicks, firstClick)).toBe("a");
  });

  it("attribution accepts a click up to 5 minutes after the event, and rejects a click after that", () => {
    for (const binding of [lead(), sale()]) {
      const edge = click("a", now + clockToleranceMs);
      expect(attribute([edge], lastClick, binding)).toEqual({ attributed: true, click: edge, clickAgeDays: 0 });
      expect(chosen([click("a", now + clockToleranceMs + 1)], lastClick, binding)).toBe("no_click");
    }
    expect(clockToleranceMs).toBe(300_000);
  });

  it("attribution accepts a click exactly at the window's start, and reports the newest click with its age if all clicks are earlier", () => {
    for (const binding of [lead(), sale()]) {
      expect(attribute([click("a", now - 60 * day)], lastClick, binding)).toMatchObject({
        attributed: true,
        clickAgeDays: 60,
      });
      const newest = click("a", now - 60 * day - 1);
      for (const terms of [lastClick, firstClick]) {
        expect(attribute([newest, click("b", now - 90 * day)], terms, binding)).toEqual({
          attributed: false,
          reason: "attribution_window_expired",
          click: newest,
          clickAgeDays: 60,
          windowDays: 60,
        });
      }
    }
  });

  it("attribution by the first click chooses the oldest click within the window, and ignores older clicks outside the window", () => {
    expect(chosen([click("a", now - 61 * day), click("b", now - 59 * day), click("c", now)], firstClick)).toBe("b");
  });

  describe("attribute for a customer whose first event is a sale", () => {
    const firstSaleAt = now - 10 * day;

    it.each([
      ["lead", lead(firstSaleAt)],
      ["sale", sale(firstSaleAt)],
    ])("attribution of a customer whose first event is a sale ignores later clicks: %s", (_, binding) => {
      const after = click("after", firstSaleAt + clockToleranceMs + 1);
      const later = click("later", now);
      expect(attribute([after, later], lastClick, binding)).toEqual({
        attributed: false,
        reason: "existing_customer",
        click: later,
      });
      expect(chosen([after, click("before", firstSaleAt - day)], lastClick, binding)).toBe("before");
      expect(chosen([click("same", firstSaleAt + clockToleranceMs)], lastClick, binding)).toBe("same");
      expect(chosen([], lastClick, binding)).toBe("no_click");
      expect(chosen([click("a", now + clockToleranceMs + 1)], lastClick, binding)).toBe("no_click");
    });

    it.each([
      ["lead", lead(firstSaleAt)],
      ["sale", sale(firstSaleAt)],
    ])("without a lead, the attribution window ends at the first sale, whatever the setting: %s", (_, binding) => {
      const edge = firstSaleAt - 10 * day;
      for (const terms of [tenDays, untilSale]) {
        expect(attribute([click("a", edge)], terms, binding)).toMatchObject({ attributed: true, clickAgeDays: 20 });
        expect(attribute([click("a", edge - 1)], terms, binding)).toEqual({
          attributed: false,
          reason: "attribution_window_expired",
          click: click("a", edge - 1),
          clickAgeDays: 10,
          windowDays: 10,
        });
      }
    });
  });

  describe("attribute for a customer whose lead is before the first sale", () => {
    const firstSaleAt = now + 3 * day;

    it("the attribution window of a customer with a lead ends at the lead by default", () => {
      expect(attribute([click("a", now - 10 * day)], tenDays, lead(firstSaleAt))).toMatchObject({
        attributed: true,
        clickAgeDays: 10,
      });
      expect(attribute([click("a", now - 10 * day - 1)], tenDays, lead(firstSaleAt))).toMatchObject({
        reason: "attribution_window_expired",
        clickAgeDays: 10,
      });
      expect(chosen([click("a", now - 10 * day)], tenDays, lead(now + 300 * day))).toBe("a");
    });

    it("the attribution window ends at the first sale if the program has chosen this and the customer has bought", () => {
      expect(attribute([click("a", now - 7 * day)], untilSale, lead(firstSaleAt))).toMatchObject({
        attributed: true,
        clickAgeDays: 7,
      });
      expect(attribute([click("a", now - 8 * day)], untilSale, lead(firstSaleAt))).toMatchObject({
        reason: "attribution_window_expired",
        clickAgeDays: 11,
      });
      expect(chosen([click("a", now - 8 * day)], untilSale, lead())).toBe("a");
    });

    it("attribution chooses a click at the lead's time, and rejects the customer if the window ends at the first sale and excludes it", () => {
      const oldest = click("a", now - 8 * day);
      const clicks = [oldest, click("b", now - 7 * day), click("c", now)];
      expect(chosen(clicks, { ...tenDays, model: "first_click" }, lead(firstSaleAt))).toBe("a");
      expect(attribute(clicks, { ...untilSale, model: "first_click" }, lead(firstSaleAt))).toEqual({
        attributed: false,
        reason: "attribution_window_expired",
        click: oldest,
        clickAgeDays: 11,
        windowDays: 10,
      });
      expect(attribute([click("a", now - 11 * day)], untilSale, lead(firstSaleAt))).toMatchObject({
        reason: "attribution_window_expired",
        clickAgeDays: 11,
      });
    });

    it("attribution of a customer whose lead is before the first sale ignores clicks after the lead", () => {
      expect(chosen([click("a", now + day)], tenDays, lead(firstSaleAt))).toBe("no_click");
    });
  });

  it("attribution treats a lead at the same time as the first sale like a lead before the sale", () => {
    expect(chosen([click("a", now - 10 * day)], tenDays, lead(now))).toBe("a");
    expect(chosen([click("a", now - 10 * day - 1)], tenDays, lead(now))).toBe("attribution_window_expired");
  });

  const candidate = fc.record({
    clickId: fc.stringMatching(/^[a-z0-9]{1,4}$/),
    at: fc.integer({ min: -40, max: 4 }).map((halfDays) => now + halfDays * (day / 2)),
    linkId: fc.integer({ min: 1, max: 3 }),
  });
  const candidates = fc.uniqueArray(candidate, { selector: ({ clickId }) => clickId, maxLength: 8 });
  const terms = fc.record({
    model: fc.constantFrom("last_click" as const, "first_click" as const),
    windowDays: fc.integer({ min: 1, max: 15 }),
    windowUntil: fc.constantFrom("lead" as const, "first_sale" as const),
  });
  const days = (min: number, max: number) => fc.integer({ min, max }).map((count) => now + count * day);
  const binding: fc.Arbitrary<Binding> = fc.oneof(
    fc.option(days(-10, 10), { nil: undefined }).map(lead),
    days(-10, 0).map(sale),
  );

  it("attribution chooses the same click, whatever the order in which the clicks are listed", () => {
    fc.assert(
      fc.property(
        candidates.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        terms,
        binding,
        ([all, shuffled], agreed, bound) => {
          expect(attribute(shuffled, agreed, bound)).toEqual(attribute(all, agreed, bound));
        },
      ),
    );
  });

  it("attribution chooses as the model says among clicks within the window and not after the lead or the first sale", () => {
    fc.assert(
      fc.property(candidates, terms, binding, (all, agreed, bound) => {
        const { at: boundAt, firstSaleAt = boundAt } = bound;
        const isWithin = (clickAt: number, end: number) => end - clickAt <= agreed.windowDays * day;
        const choosingAt = bound.by === "lead" ? Math.min(boundAt, firstSaleAt) : firstSaleAt;
        const good = all.filter(
          ({ at }) => isWithin(at, choosingAt) && [boundAt, firstSaleAt].every((end) => at <= end + clockToleranceMs),
        );
        const result = attribute(all, agreed, bound);
        if (result.attributed) expect(good).toContain(result.click);
        if (good.length === 0) expect(result.attributed).toBe(false);
        if (good.length === 0 || !("click" in result)) return;
        const { click: taken } = result;
        expect(result.attributed).toBe(agreed.windowUntil === "lead" || isWithin(taken.at, firstSaleAt));
        for (const { at, clickId } of good) {
          if (at === taken.at) expect(taken.clickId <= clickId).toBe(true);
          else expect(taken.at > at).toBe(agreed.model === "last_click");
        }
      }),
    );
  });

  it("once a first sale after the lead is known, attribution chooses the same click, and this sale must pass saleWithinWindow", () => {
    fc.assert(
      fc.property(candidates, terms, days(0, 30), (all, agreed, firstSaleAt) => {
        const early = attribute(all, agreed, lead());
        const late = attribute(all, agreed, lead(firstSaleAt));
        if (!early.attributed) {
          expect(late).toEqual(early);
          return;
        }
        const bond: FrozenBinding = { ...agreed, clickAt: early.click.at, boundAt: now, boundBy: "lead" };
        const { ok, ...judged } = saleWithinWindow(bond, firstSaleAt);
        const { click: taken, clickAgeDays } = early;
        const expected = ok ? { clickAgeDays, attributed: true } : { ...judged, attributed: false };
        expect(late).toEqual({ ...expected, click: taken });
      }),
    );
  });
});

describe("saleWithinWindow", () => {
  const bond: FrozenBinding = {
    clickAt: now - 60 * day,
    windowDays: 60,
    windowUntil: "lead",
    boundAt: now,
    boundBy: "sale",
  };
  const expired = (clickAgeDays: number) => ({
    ok: false,
    reason: "attribution_window_expired",
    clickAgeDays,
    windowDays: 60,
  });

  it.each([
    ["at the window's end", now - 60 * day, { ok: true, clickAgeDays: 60 }],
    ["after the window's end", now - 60 * day - 1, expired(60)],
    ["slightly before the click, within the clock tolerance", now + clockToleranceMs, { ok: true, clickAgeDays: 0 }],
    ["before the click", now + clockToleranceMs + 1, { ok: false, reason: "existing_customer" }],
  ])("saleWithinWindow checks a first sale %s", (_, clickAt, expected) => {
    for (const windowUntil of ["lead", "first_sale"] as const) {
      expect(saleWithinWindow({ ...bond, windowUntil, clickAt }, now)).toEqual(expected);
      expect(saleWithinWindow({ ...bond, windowUntil, clickAt, boundBy: "lead" }, now)).toEqual(expected);
    }
  });

  it("saleWithinWindow accepts any later sale of a customer who was attributed by a lead", () => {
    const byLead: FrozenBinding = { ...bond, boundBy: "lead" };
    expect(saleWithinWindow(byLead, now + 1)).toEqual({ ok: true, clickAgeDays: 60 });
    expect(saleWithinWindow(byLead, now + 900 * day)).toEqual({ ok: true, clickAgeDays: 60 });
  });

  it("saleWithinWindow also requires the first sale within the window if the policy's window ends at the first sale", () => {
    const strict: FrozenBinding = { ...bond, boundBy: "lead", windowUntil: "first_sale", boundAt: now - 30 * day };
    expect(saleWithinWindow(strict, now)).toEqual({ ok: true, clickAgeDays: 60 });
    expect(saleWithinWindow(strict, now + 1)).toEqual(expired(60));
    expect(saleWithinWindow(strict, now + day)).toEqual(expired(61));
  });

  it("saleWithinWindow requires the first sale within the window if this sale happened before the lead", () => {
    const byLead: FrozenBinding = { ...bond, boundBy: "lead", clickAt: now - 62 * day };
    expect(saleWithinWindow(byLead, now - 2 * day)).toEqual({ ok: true, clickAgeDays: 60 });
    expect(saleWithinWindow(byLead, now - 2 * day + 1)).toEqual(expired(60));
    expect(saleWithinWindow(byLead, now - 63 * day)).toEqual({ ok: false, reason: "existing_customer" });
  });

  it("saleWithinWindow requires the lead within the window if, after a correction, all remaining sales are later than the lead", () => {
    const byLead: FrozenBinding = { ...bond, boundBy: "lead", clickAt: now - 62 * day };
    expect(saleWithinWindow(byLead, now + day)).toEqual(expired(62));
  });

  it("saleWithinWindow compares the click with an earlier sale if it is reported after the sale that attributed the customer", () => {
    const bySale: FrozenBinding = { ...bond, clickAt: now - 10 * day };
    expect(saleWithinWindow(bySale, now - 9 * day)).toEqual({ ok: true, clickAgeDays: 1 });
    expect(saleWithinWindow(bySale, now - 11 * day)).toEqual({ ok: false, reason: "existing_customer" });
  });
});
