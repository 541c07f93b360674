import fc from "fast-check";
import { expect, test } from "vitest";
import { addMonthsUtc, dayIn } from "#domain/calendar.ts";
import { commissionFor, noTerms, type Policy } from "#domain/commission.ts";
import { type EstimateTerms, estimate, type Payments } from "#domain/estimate.ts";
import { estimateSteps } from "#domain/explain/estimate-steps.ts";
import { periodOfDay, type ReachedStep, type TierCount, type TierPeriod } from "#domain/tiers.ts";

const now = Date.parse("2026-11-30T12:00:00Z");
const timezones = ["UTC", "Pacific/Auckland", "America/Los_Angeles"];
const months = { code: "MONTHS", digits: 1, one: "free month", other: "free months" };

const optional = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: undefined });

const rules = fc.array(
  fc.record({
    when: fc.record({
      productIds: optional(fc.constantFrom(["pro"], ["pro", "gift"])),
      isRecurring: optional(fc.boolean()),
      isFirst: optional(fc.boolean()),
      withinMonths: optional(fc.integer({ min: 1, max: 14 })),
      interval: optional(fc.constantFrom("monthly", "annual")),
      coupon: optional(fc.boolean()),
    }),
    terms: fc.oneof(
      fc.record({ rateBps: fc.integer({ min: 0, max: 10_000 }) }),
      fc.record({ amountCents: fc.integer({ min: 0, max: 900 }) }),
      fc.constant({ excluded: true as const }),
    ),
  }),
  { maxLength: 3 },
);

const policies: fc.Arbitrary<Policy> = fc
  .record({
    type: fc.constantFrom("percent", "flat", "none"),
    scope: fc.constantFrom("one_time", "recurring", "lifetime"),
    rateBps: fc.integer({ min: 0, max: 10_000 }),
    amountCents: fc.integer({ min: 0, max: 2_000 }),
    isInUnit: fc.boolean(),
    durationMonths: fc.integer({ min: 1, max: 14 }),
    minSaleCents: fc.option(fc.integer({ min: 1, max: 6_000 })),
    maxCommissionCents: fc.option(fc.integer({ min: 1, max: 800 })),
    rules: fc.option(rules),
    tiers: fc.option(
      fc.record({
        metric: fc.constantFrom("sales", "revenue"),
        period: fc.constantFrom("month", "quarter", "year"),
        thresholds: fc.uniqueArray(fc.integer({ min: 2, max: 9 }), { minLength: 1, maxLength: 3 }),
      }),
    ),
  })
  .map(({ type, isInUnit, rules, tiers, durationMonths, rateBps, amountCents, ...terms }) => {
    const isFlat = type === "flat";
    const inUnit = isFlat && isInUnit;
    const steps = (tiers?.thresholds ?? []).toSorted((a, b) => a - b);
    return {
      ...noTerms,
      ...terms,
      ...{ id: 7, version: 1, partnerId: null, holdDays: 0, effectiveFrom: 0, type, currency: "EUR" },
      rateBps: isFlat ? null : rateBps,
      amountCents: isFlat ? amountCents : null,
      unit: inUnit ? months : null,
      maxCommissionCents: inUnit ? null : terms.maxCommissionCents,
      durationMonths: terms.scope === "recurring" ? durationMonths : null,
      rules: rules?.length
        ? rules.map(({ when, terms }) => ({ when, ...(inUnit && "rateBps" in terms ? { amountCents: 3 } : terms) }))
        : null,
      tiers: tiers && {
        ...tiers,
        steps: steps.map((threshold) => ({
          threshold: tiers.metric === "sales" ? threshold : threshold * 3_000,
          ...(isFlat ? { amountCents: threshold * 100 } : { rateBps: threshold * 1_000 }),
        })),
      },
    };
  });

const payments: fc.Arbitrary<Payments> = fc.record({
  amountCents: fc.integer({ min: 1, max: 9_999 }),
  currency: fc.constantFrom("EUR", "USD"),
  interval: fc.constantFrom(null, "monthly", "quarterly", "annual"),
  productId: fc.constantFrom(null, "pro", "other"),
  count: fc.integer({ min: 1, max: 20 }),
  from: fc.constant(now),
});

const sold: fc.Arbitrary<readonly TierCount[]> = fc.array(
  fc.record({
    month: fc.constantFrom("2026-01", "2026-10", "2026-11", "2026-12"),
    currency: fc.constantFrom("EUR", "USD"),
    sales: fc.integer({ min: 0, max: 9 }),
    revenueCents: fc.integer({ min: 0, max: 30_000 }),
  }),
  { maxLength: 4 },
);

/** Counts a partner's sales of a period from scratch. Each sale is a day, a currency, a number and an amount. */
class CountedSales {
  readonly #sales: TierCount[] = [];

  add(sales: readonly TierCount[]): void {
    this.#sales.push(...sales);
  }

  step(policy: Policy, day: string): ReachedStep | undefined {
    const { tiers } = policy;
    if (tiers === null) return undefined;
    const period = periodOfDay(tiers.period, day);
    const ofPeriod = this.#sales.filter(({ month }) => periodOfDay(tiers.period, `${month}-01`) === period);
    let count = 0;
    for (const { currency, sales, revenueCents } of ofPeriod) {
      if (tiers.metric === "sales") count += sales;
      else if (currency === "EUR") count += revenueCents;
    }
    const threshold = Math.max(
      0,
      ...tiers.steps.map((step) => step.threshold).filter((n) => (tiers.metric === "sales" ? n - 1 : n) <= count),
    );
    const currency = tiers.metric === "revenue" ? "EUR" : null;
    return { policyId: policy.id, isTest: false, period, currency, threshold, count, at: now };
  }
}

interface Sold {
  readonly month: number;
  readonly earned: number | string;
}

/** Decides the payments one after another, with the partner's steps counted from scratch before each. */
function sellAll(terms: EstimateTerms, asked: Payments, counted: CountedSales): readonly Sold[] {
  const { policy, timezone } = terms;
  const gap = { monthly: 1, quarterly: 3, annual: 12 }[asked.interval ?? "monthly"];
  let isTaken = false;
  return Array.from({ length: asked.count }, (_, n) => {
    const occurredAt = addMonthsUtc(now, n * gap);
    const day = dayIn(timezone, occurredAt);
    const { tiers = null } = policy ?? {};
    const reached = policy && counted.step(policy, day);
    const step = tiers?.steps.find(({ threshold }) => threshold === reached?.threshold);
    const earning = commissionFor(
      policy,
      {
        ...{ amountCents: asked.amountCents, currency: asked.currency, occurredAt, interval: asked.interval },
        ...{ isRecurring: n > 0, hasCoupon: false, isOneTimeTaken: isTaken },
        firstAttributedSaleAt: n === 0 ? undefined : now,
        items: [{ itemId: "1", productId: asked.productId, amountCents: asked.amountCents, quantity: 1 }],
        partnerActive: terms.partnerActive,
        programActive: terms.programActive,
      },
      step && reached && tiers ? { metric: tiers.metric, ...reached, ...step, currency: "EUR" } : undefined,
    );
    const earned = earning.due ? earning.amountCents : earning.reason;
    isTaken ||= earning.due;
    if (earning.due && earning.amountCents > 0) {
      const { currency, amountCents: revenueCents } = asked;
      counted.add([{ month: day.slice(0, 7), currency, sales: 1, revenueCents }]);
    }
    return { month: n * gap + 1, earned };
  });
}

const cases = fc.record({
  policy: fc.oneof(
    { weight: 20, arbitrary: policies },
    { weight: 1, arbitrary: policies.map((policy) => ({ ...policy, rules: [{ when: {}, excluded: true as const }] })) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
  asked: payments,
  counts: sold,
  timezone: fc.constantFrom(...timezones),
  partnerActive: fc.boolean(),
  programActive: fc.boolean(),
});

test("an estimate has the commissions that the same sales earn once they are recorded, and its explanations end with these amounts", () => {
  const reasons = new Set<string>();
  let withSteps = 0;
  fc.assert(
    fc.property(cases, ({ policy, asked, counts: drawn, ...of }) => {
      // Sales of later months can't be recorded. In Auckland, it is December already.
      const counts = drawn.filter(({ month }) => month <= dayIn(of.timezone, now).slice(0, 7));
      const active = {
        partnerActive: of.partnerActive || asked.count > 2,
        programActive: of.programActive || asked.count > 2,
      };
      const counted = new CountedSales();
      counted.add(counts);
      const step = policy && counted.step(policy, dayIn(of.timezone, now));
      const terms: EstimateTerms = {
        partnerId: 3,
        ...active,
        policy,
        step,
        counts,
        currency: "EUR",
        timezone: of.timezone,
      };
      const estimated = estimate(terms, asked);
      const expected = sellAll(terms, asked, counted);
      const seen = estimated.payments.map(({ month, earning }) => ({
        month,
        earned: earning.due ? earning.amountCents : earning.reason,
      }));
      expect(seen).toEqual(expected);
      const steps = estimateSteps(estimated, asked, of.timezone);
      const ends = estimated.payments.map(({ month }) => {
        const from = steps.findLast((each) => each.month <= month)?.month;
        const own = steps.filter((each) => each.month === from);
        return own.length > 1 ? own.at(-1) : undefined;
      });
      expect(ends.map((end) => end?.cents)).toEqual(
        expected.map(({ earned }) => (typeof earned === "string" ? 0 : earned)),
      );
      expect(new Set(ends.map((end) => end?.currency))).toEqual(new Set([estimated.currency]));
      for (const { earned } of expected) if (typeof earned === "string") reasons.add(earned);
      if (estimated.payments.some(({ earning }) => earning.due && earning.step !== undefined)) withSteps += 1;
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 600) },
  );
  expect([...reasons].toSorted()).toEqual([
    "below_minimum",
    "commission_duration_over",
    "currency_mismatch",
    "excluded_by_rule",
    "no_commission_policy",
    "partner_inactive",
    "program_inactive",
    "recurring_not_covered",
  ]);
  expect(withSteps).toBeGreaterThan(20);
});

const percent: Policy = {
  ...noTerms,
  ...{ id: 7, version: 1, partnerId: null, type: "percent", rateBps: 2_000, scope: "lifetime", holdDays: 0 },
  effectiveFrom: 0,
};
const ofNovember: TierCount[] = [{ month: "2026-11", currency: "EUR", sales: 10, revenueCents: 49_000 }];

/** Describes each payment that has steps of its own: "month: text; text". */
function explained(policy: Policy, count: number, more: Partial<EstimateTerms & Payments> = {}): readonly string[] {
  const asked: Payments = {
    ...{ amountCents: 4_900, currency: "EUR", interval: "monthly", productId: null, count, from: now },
    ...more,
  };
  const active = { partnerActive: true, programActive: true };
  const terms: EstimateTerms = {
    ...{ partnerId: 3, ...active, policy, step: undefined, counts: [], timezone: "UTC" },
    ...more,
    currency: "EUR",
  };
  const steps = estimateSteps(estimate(terms, asked), asked, "UTC");
  return [...Map.groupBy(steps, ({ month }) => month)].map(
    ([month, own]) => `${month}: ${own.map(({ text }) => text).join("; ")}`,
  );
}

test("an estimate explains only the months in which a sale earns something else than in the month before", () => {
  const tiers = (period: TierPeriod) =>
    ({ metric: "sales", period, steps: [{ threshold: 11, rateBps: 2_500 }] }) as const;
  const at = Date.parse("2026-11-14T12:00:00Z");
  const step = { policyId: 7, isTest: false, period: "2026-11", currency: null, threshold: 11, count: 10, at };
  expect(explained({ ...percent, tiers: tiers("month") }, 4, { step, counts: ofNovember })).toEqual([
    "1: Sale of €49.00; 25%: 10 sales in November, reached on the 14th; 25% of €49.00 = €12.25",
    "2: Sale of €49.00; 20% of €49.00 = €9.80",
  ]);
  expect(explained({ ...percent, tiers: { ...tiers("year"), steps: [{ threshold: 3, rateBps: 2_500 }] } }, 6)).toEqual([
    "1: Sale of €49.00; 20% of €49.00 = €9.80",
    "5: Sale of €49.00; 25%: 2 sales in 2027, reached on 28 February; 25% of €49.00 = €12.25",
  ]);
  expect(explained({ ...percent, scope: "recurring", durationMonths: 2 }, 5)).toEqual([
    "1: Sale of €49.00; 20% of €49.00 = €9.80",
    "4: Sale of €49.00; The policy pays for 2 months after the customer's first sale, and that time was over.",
  ]);
});

test("an estimate describes a rule by what the rule covers, and writes an amount in a unit such as free months in words", () => {
  const rules = [
    { label: "secret", when: { productIds: ["pro"], isRecurring: true }, rateBps: 1_000 },
    { label: "secret", when: { interval: "annual" as const }, amountCents: 300 },
  ];
  expect(explained({ ...percent, currency: "EUR", rules }, 2, { productId: "pro" })).toEqual([
    "1: Sale of €49.00; 20% of €49.00 = €9.80",
    "2: Sale of €49.00; On pro in renewals: 10% of €49.00 = €4.90",
  ]);
  expect(explained({ ...percent, currency: "EUR", rules }, 2, { interval: "annual" })).toEqual([
    "1: Sale of €49.00; On annual subscriptions: Flat commission of €3.00",
  ]);
  const inUnit: Policy = { ...percent, type: "flat", rateBps: null, amountCents: 20, unit: months };
  expect(explained(inUnit, 1, { currency: "USD" })).toEqual(["1: Sale of $49.00; Flat commission of 2 free months"]);
});
