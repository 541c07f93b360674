import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AttributionTerms,
  attribute,
  type Candidate,
  clickToleranceMs,
  saleWithinWindow,
} from "../../src/domain/attribution.ts";

const day = 86_400_000;
const now = Date.parse("2026-05-01T12:00:00Z");
const lastClick: AttributionTerms = { model: "last_click", windowDays: 60 };
const firstClick: AttributionTerms = { model: "first_click", windowDays: 60 };

const click = (clickId: string, at: number, evidence: Candidate["evidence"] = "key"): Candidate => ({
  clickId,
  at,
  linkId: 1,
  evidence,
});

const chosen = (...args: Parameters<typeof attribute>): string => {
  const result = attribute(...args);
  return result.attributed ? result.click.clickId : result.reason;
};

describe("attribute", () => {
  it("needs a click", () => {
    expect(attribute([], lastClick, now)).toEqual({ attributed: false, reason: "no_click" });
  });

  it("takes the newest or the oldest, as the model says, and the smaller id of two at once", () => {
    const clicks = [click("b", now - 2), click("a", now - 2), click("d", now - 1), click("c", now - 1)];
    expect(chosen(clicks, lastClick, now)).toBe("c");
    expect(chosen(clicks, firstClick, now)).toBe("a");
  });

  it("counts a click up to 5 minutes later as before, and no later one", () => {
    expect(attribute([click("a", now + clickToleranceMs)], lastClick, now)).toMatchObject({
      attributed: true,
      clickAgeDays: 0,
    });
    expect(chosen([click("a", now + clickToleranceMs + 1)], lastClick, now)).toBe("no_click");
    expect(clickToleranceMs).toBe(300_000);
  });

  it("includes the window's end, and tells the age of the newest click past it", () => {
    expect(attribute([click("a", now - 60 * day)], lastClick, now)).toMatchObject({
      attributed: true,
      clickAgeDays: 60,
    });
    const expired = [click("a", now - 60 * day - 1), click("b", now - 90 * day)];
    for (const terms of [lastClick, firstClick]) {
      expect(attribute(expired, terms, now)).toEqual({
        attributed: false,
        reason: "attribution_window_expired",
        clickAgeDays: 60,
        windowDays: 60,
      });
    }
  });

  it("takes the oldest click within the window, not one before it", () => {
    expect(chosen([click("a", now - 61 * day), click("b", now - 59 * day), click("c", now)], firstClick, now)).toBe(
      "b",
    );
  });

  it("lets keyed evidence outrank a browser's, where it is before the event", () => {
    const browser = click("browser", now - day, "browser");
    expect(chosen([browser, click("key", now - 2 * day)], lastClick, now)).toBe("key");
    expect(chosen([browser, click("key", now - 61 * day)], lastClick, now)).toBe("attribution_window_expired");
    expect(chosen([browser, click("key", now + day)], lastClick, now)).toBe("browser");
    expect(chosen([browser], lastClick, now)).toBe("browser");
  });

  describe("for a customer who has bought before", () => {
    const firstSaleAt = now - 10 * day;

    it("counts no click after the first sale", () => {
      const after = click("after", firstSaleAt + clickToleranceMs + 1);
      expect(chosen([after], lastClick, now, firstSaleAt)).toBe("existing_customer");
      expect(chosen([after, click("before", firstSaleAt - day)], lastClick, now, firstSaleAt)).toBe("before");
      expect(chosen([click("same", firstSaleAt + clickToleranceMs)], lastClick, now, firstSaleAt)).toBe("same");
    });

    it("says no_click where there is none at all", () => {
      expect(chosen([], lastClick, now, firstSaleAt)).toBe("no_click");
    });

    it("holds the window to the event and to the sale, whichever is later", () => {
      const tenDays: AttributionTerms = { model: "last_click", windowDays: 10 };
      expect(chosen([click("a", firstSaleAt)], tenDays, now, firstSaleAt)).toBe("a");
      expect(chosen([click("a", firstSaleAt - 1)], tenDays, now, firstSaleAt)).toBe("attribution_window_expired");
      const laterSale = now + 3 * day;
      expect(chosen([click("a", now - 7 * day)], tenDays, now, laterSale)).toBe("a");
      expect(attribute([click("a", now - 8 * day)], tenDays, now, laterSale)).toMatchObject({
        reason: "attribution_window_expired",
        clickAgeDays: 11,
      });
    });
  });

  const candidate = fc.record({
    clickId: fc.stringMatching(/^[a-z0-9]{1,4}$/),
    at: fc.integer({ min: -40, max: 4 }).map((halfDays) => now + halfDays * (day / 2)),
    linkId: fc.integer({ min: 1, max: 3 }),
    evidence: fc.constantFrom("key" as const, "browser" as const),
  });
  const candidates = fc.uniqueArray(candidate, { selector: ({ clickId }) => clickId, maxLength: 8 });
  const terms = fc.record({
    model: fc.constantFrom("last_click" as const, "first_click" as const),
    windowDays: fc.integer({ min: 1, max: 15 }),
  });
  const firstSale = fc.option(
    fc.integer({ min: -10, max: 2 }).map((days) => now + days * day),
    { nil: undefined },
  );

  it("takes the same click in whatever order they come", () => {
    fc.assert(
      fc.property(
        candidates.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        terms,
        firstSale,
        ([all, shuffled], agreed, firstSaleAt) => {
          expect(attribute(shuffled, agreed, now, firstSaleAt)).toEqual(attribute(all, agreed, now, firstSaleAt));
        },
      ),
    );
  });

  it("takes a click exactly where one is before, within the window and not outranked; then the model's", () => {
    fc.assert(
      fc.property(candidates, terms, firstSale, (all, agreed, firstSaleAt) => {
        const instants = [now, firstSaleAt ?? now];
        const hasKey = all.some(({ at, evidence }) => evidence === "key" && at <= now + clickToleranceMs);
        const good = all.filter(
          ({ at, evidence }) =>
            (evidence === "key" || !hasKey) &&
            instants.every((end) => at <= end + clickToleranceMs && end - at <= agreed.windowDays * day),
        );
        const result = attribute(all, agreed, now, firstSaleAt);
        expect(result.attributed).toBe(good.length > 0);
        if (!result.attributed) return;
        expect(good).toContain(result.click);
        for (const { at, clickId } of good) {
          if (at === result.click.at) expect(result.click.clickId <= clickId).toBe(true);
          else expect(result.click.at > at).toBe(agreed.model === "last_click");
        }
      }),
    );
  });
});

describe("saleWithinWindow", () => {
  it.each([
    ["at the window's end", now - 60 * day, { ok: true, clickAgeDays: 60 }],
    [
      "past the window",
      now - 60 * day - 1,
      { ok: false, reason: "attribution_window_expired", clickAgeDays: 60, windowDays: 60 },
    ],
    ["by a clock that is behind", now + clickToleranceMs, { ok: true, clickAgeDays: 0 }],
    ["before the click", now + clickToleranceMs + 1, { ok: false, reason: "existing_customer" }],
  ])("judges a first sale %s", (_, clickAt, expected) => {
    expect(saleWithinWindow(clickAt, 60, now)).toEqual(expected);
  });
});
