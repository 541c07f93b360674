import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type AttributionTerms, attribute, type Candidate, judgeClick } from "#domain/attribution.ts";
import { dayMs } from "#domain/calendar.ts";
import { noTerms, type Policy } from "#domain/commission.ts";
import { type CalculationStep, calculationOf } from "#domain/explain/calculation.ts";
import { chronological, type StoryPosition, startAfter, storyTypes } from "#domain/explain/event-order.ts";
import type { EntryFacts, StorySale } from "#domain/explain/facts.ts";
import { type FrozenEarned, freezeCommission, readFrozenCommission } from "#domain/explain/frozen.ts";
import { missingCodes, missingFor } from "#domain/explain/missing.ts";
import { freeText, moneyText, quoted, shareText } from "#domain/explain/text.ts";
import { noUnits } from "#domain/units.ts";

const now = Date.parse("2026-05-01T12:00:00Z");

describe("amounts in an explanation", () => {
  test.each([
    [980, "EUR", "€9.80"],
    [-980, "USD", "-$9.80"],
    [5, "EUR", "€0.05"],
    [500, "JPY", "¥500"],
    [1_234, "KWD", "KWD 1.234"],
    [49_000, "HUF", "HUF 490.00"],
    [100_000_000_000, "EUR", "€1,000,000,000.00"],
  ])("the amounts in an explanation show %i %s as %s", (cents, currency, text) => {
    expect(moneyText(cents, currency, noUnits)).toBe(text);
  });

  test.each([
    [4_901, 2_050, "EUR", "€10.04705"],
    [1_000, 2_000, "EUR", "€2.00"],
    [333, 3_333, "JPY", "¥110.9889"],
    [100_000_000_000, 9_999, "EUR", "€999,900,000.00"],
  ])(
    "the amounts in an explanation include the exact share of %i cents at %i basis points",
    (cents, rateBps, currency, text) => {
      expect(shareText(cents, rateBps, currency)).toBe(text);
    },
  );
});

test.each([
  ["c1", '"c1"'],
  ['a"b\\', '"a\\"b\\\\"'],
  ["\u202egnp.exe", '"\\u{202e}gnp.exe"'],
  ["a\u0007b\u2028c\u2066d\u200be\ud800", '"a\\u{0007}b\\u{2028}c\\u{2066}d\\u{200b}e\\u{d800}"'],
  ["לקוח", '"\u2068לקוח\u2069"'],
  ["客户 é 👍", '"客户 é 👍"'],
])("an id from an API call is quoted in an explanation, so that %j is shown as %s", (id, text) => {
  expect(quoted(id)).toBe(text);
});

test.each([
  ["می\u200cخواهم", "\u2068می\u200cخواهم\u2069"],
  ["क्\u200dष", "क्\u200dष"],
  ["👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥", "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥"],
  ["\u200dAnna\u200c \u200b\u202eb", "\\u{200d}Anna\\u{200c} \\u{200b}\\u{202e}b"],
  ["1\u200d2:\u200d//", "1\\u{200d}2:\\u{200d}//"],
])(
  "a name in an explanation keeps joiners between characters, and shows other invisible characters as escapes: %j",
  (name, text) => {
    expect(freeText(name)).toBe(text);
    // In a quoted id, joiners are shown as escapes, because two ids may differ only in a joiner.
    expect(quoted(name)).not.toMatch(/[\u200c\u200d]/);
  },
);

test.each(missingCodes)("the explanation of the reason %s states what was missing and what to do", (code) => {
  const facts = { clickAgeDays: 61, windowDays: 60 };
  const { message, remedy } = missingFor(code, facts, "integrator");
  const toOwner = missingFor(code, facts, "owner").remedy;
  for (const text of [message, remedy, toOwner]) expect(text).toMatch(/^[A-Z].*\.$/);
  expect(toOwner, "an owner knows no field of the API").not.toMatch(/_|API|\bscope\b|lifetime/);
});

describe("the outcome of a click", () => {
  const candidate = fc.record({
    clickId: fc.constantFrom("a", "b", "c", "d"),
    at: fc.integer({ min: -40, max: 5 }).map((days) => now + days * dayMs),
    linkId: fc.constant(1),
  });
  const terms: fc.Arbitrary<AttributionTerms> = fc.record({
    model: fc.constantFrom("last_click", "first_click"),
    windowDays: fc.constantFrom(10, 30),
    windowUntil: fc.constantFrom("lead", "first_sale"),
  });
  const binding = fc.record({
    by: fc.constantFrom("lead" as const, "sale" as const),
    at: fc.constant(now),
    firstSaleAt: fc.constantFrom(undefined, now - 20 * dayMs, now, now + 20 * dayMs),
  });
  const clicks = fc.uniqueArray(candidate, { maxLength: 4, selector: ({ clickId }: Candidate) => clickId });

  it("the outcome of a click agrees with the attribution by all clicks, and with the attribution by this click alone", () => {
    fc.assert(
      fc.property(clicks, terms, binding, (candidates, terms, binding) => {
        const decided = attribute(candidates, terms, binding);
        for (const click of candidates) {
          const { outcome } = judgeClick(click, decided, terms, binding);
          const alone = attribute([click], terms, binding);
          expect(outcome === "chosen").toBe(decided.attributed && decided.click.clickId === click.clickId);
          if (outcome === "after_the_event")
            expect(alone).toMatchObject({ reason: expect.stringMatching(/no_click|existing/) });
          if (outcome === "outside_window") expect(alone).toMatchObject({ reason: "attribution_window_expired" });
          if (outcome === "older" || outcome === "newer") expect(decided).toHaveProperty("click");
        }
      }),
    );
  });
});

describe("the calculation of a commission", () => {
  const policy: Policy = {
    ...{ ...noTerms, id: 1, version: 3, partnerId: null, type: "percent", rateBps: 2_000, currency: "EUR" },
    ...{ scope: "lifetime", holdDays: 15, effectiveFrom: 0 },
  };
  const sale = (over: Partial<StorySale["commission"]> = {}): StorySale => ({
    ...{ id: 1, transactionId: "t", amountCents: 1_005, currency: "EUR", refundedCents: 0, occurredAt: now },
    ...{ partnerCode: "anna", partnerStatus: "active", reason: null, clickAgeDays: 0, windowDays: 60 },
    ...{ corrects: null, correctedBy: null, renews: null },
    commission: {
      ...{
        id: 2,
        partnerId: 7,
        source: "click",
        sub: null,
        status: "pending",
        reason: null,
        isUnconfirmed: false,
        held: false,
        reviews: null,
        initialCents: 201,
      },
      ...{ amountCents: 201, currency: "EUR", holdUntil: now, explanation: "{}", entryCount: 0, ...over },
    },
  });
  const entry = (
    kind: EntryFacts["kind"],
    amountCents: number,
    partnerId = 7,
    refundId: string | null = null,
  ): EntryFacts => ({
    ...{
      id: 1,
      payoutById: null,
      ...{ authorId: null, author: null },
      kind,
      amountCents,
      currency: "EUR",
      partnerId,
      refundId,
      refundReason: null,
      ...{ payoutReference: null, isPaidOut: false, payoutBy: null },
    },
    ...{ occurredAt: now, createdAt: now },
  });
  const factsOf = (entries: readonly EntryFacts[]) => ({
    ...{ entries, decision: undefined, offer: undefined },
    ...{ timezone: "UTC", units: noUnits },
  });
  const stepsOf = (steps: readonly CalculationStep[]) => steps.map(({ step, cents }) => [step, cents]);
  const earned: FrozenEarned = {
    ...{ decision: "earned", policy, baseCents: 1_005, uncappedCents: 201, capped: false, rounding: "half_up" },
    ...{ amountCents: 201, holdUntil: now, decidedAt: now },
    sale: { transactionId: "t", amountCents: 1_005, currency: "EUR", occurredAt: now },
    ...{ partner: null, click: null, considered: null, clickAgeDays: 0, windowDays: 60, evidence: "key" },
    ...{ model: "last_click", windowUntil: "lead", bound: null },
  };

  it("a stored calculation that lacks a term added to policies later is read as if its policy didn't have this term", () => {
    const { maxCommissionCents, ...older } = policy;
    const stored = freezeCommission({ ...earned, policy: older as Policy });
    expect(readFrozenCommission(stored).policy).toMatchObject({ ...older, maxCommissionCents });
    expect(maxCommissionCents).toBeNull();
  });

  it("a commission's calculation explains a percentage, a cap and refunds", () => {
    const frozen = { ...earned, amountCents: 100 };
    const entries = [
      entry("earned", 100),
      entry("reversed", -40, 7, "r"),
      entry("restored", 40, 7, "r"),
      entry("rejected", -100),
    ];
    expect(stepsOf(calculationOf(sale({ status: "rejected", amountCents: 0 }), frozen, factsOf(entries)))).toEqual([
      ...[
        ["base", 1_005],
        ["rate", 201],
        ["cap", 100],
      ],
      ...[
        ["refund", 60],
        ["restored", 100],
        ["rejected", 0],
      ],
    ]);
  });

  it("a commission's calculation explains a move to another partner, and the amount left after refunds", () => {
    const frozen = { ...earned, movedFrom: { partnerId: 8, partnerCode: "bob", amountCents: 50 } };
    const entries = [
      entry("earned", 100, 8),
      entry("reversed", -50, 8, "r"),
      entry("moved", -50, 8),
      entry("moved", 101, 7),
      entry("reversed", -101, 7, "s"),
    ];
    expect(stepsOf(calculationOf(sale({ amountCents: 0 }), frozen, factsOf(entries)))).toEqual([
      ...[
        ["base", 1_005],
        ["rate", 201],
        ["refund", 101],
        ["moved", 101],
        ["refund", 0],
      ],
    ]);
  });

  it.each([
    [-30, "refund", 21],
    [30, "restored", 81],
  ] as const)(
    "a commission's calculation has one step for all refunds that aren't among the listed entries: %i cents",
    (amountCents, step, left) => {
      const entries = [entry("earned", 201), entry("reversed", -150, 7, "r"), entry("rejected", -left)];
      expect(stepsOf(calculationOf(sale({ amountCents: 0 }), earned, factsOf(entries))).slice(-3)).toEqual([
        ["refund", 51],
        [step, left],
        ["rejected", 0],
      ]);
      const pending = calculationOf(sale({ amountCents: 51 + amountCents }), earned, factsOf(entries.slice(0, 2)));
      expect(stepsOf(pending).at(-1)).toEqual([step, left]);
    },
  );
});

test("the pages of an explanation's history contain each event once, for any page size", () => {
  const position: fc.Arbitrary<StoryPosition> = fc.constantFrom(...storyTypes).chain((type) =>
    fc.record({
      type: fc.constant(type),
      id: type === "click" ? fc.constantFrom("A", "B_", "C-") : fc.integer({ min: 1, max: 3 }),
      occurredAt: fc.integer({ min: 1, max: 3 }),
    }),
  );
  const story = fc.uniqueArray(position, { selector: ({ type, id, occurredAt }) => `${type} ${id} ${occurredAt}` });
  fc.assert(
    fc.property(story, (all) => {
      const sorted = all.toSorted(chronological);
      for (const [i, last] of sorted.entries()) {
        const next = all.filter(({ type, id, occurredAt }) => {
          const { afterAt, afterId } = startAfter(type, last);
          return occurredAt > afterAt || (occurredAt === afterAt && id > afterId);
        });
        expect(next.toSorted(chronological)).toEqual(sorted.slice(i + 1));
      }
    }),
  );
});
