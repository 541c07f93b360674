import fc from "fast-check";

const days = fc.integer({ min: 0, max: 80 }).map((halves) => halves / 2);
/** True for an event at the current time. Other events are some days before the start. */
const isNow = fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });
const customer = fc.nat({ max: 1 });
const partner = fc.nat({ max: 2 });
const index = fc.nat({ max: 6 });
/** The index of one of the history's clicks. */
const click = fc.nat({ max: 5 });
const clicks = fc.oneof(
  { weight: 5, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: fc.array(click, { maxLength: 2 }) },
);

const terms = fc.record({
  type: fc.constantFrom("percent" as const, "percent" as const, "flat" as const, "unit" as const, "none" as const),
  scope: fc.constantFrom("lifetime" as const, "one_time" as const, "recurring" as const),
  holdDays: fc.constantFrom(0, 15, 15, 60),
  rateBps: fc.constantFrom(2_000, 3_333),
  minSaleCents: fc.constantFrom(null, null, 500),
  maxCommissionCents: fc.constantFrom(null, null, 300),
});
export type Terms = typeof terms extends fc.Arbitrary<infer Made> ? Made : never;

const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("lead" as const),
      ...{ customer, days, isNow },
      clicks: fc.array(click, { maxLength: 2 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      ...{ kind: fc.constant("sale" as const), customer, days, isNow, clicks },
      cents: fc.constantFrom(1_000, 4_900, 333, 100),
      currency: fc.constantFrom("EUR", "EUR", "EUR", "EUR", "USD"),
      coupons: fc.oneof(fc.constant([]), fc.array(fc.nat({ max: 3 }), { maxLength: 2 })),
      isRecurring: fc.constantFrom(false, false, false, true, "auto" as const, "auto" as const),
      subscription: fc.constantFrom(null, null, "s0", "s1"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ kind: fc.constant("refund" as const), sale: index },
      asked: fc.constantFrom(
        "rest" as const,
        "amount" as const,
        "amount" as const,
        "total" as const,
        "cancel" as const,
      ),
      charge: fc.constantFrom(null, null, null, 1_500),
      cents: fc.constantFrom(1, 50, 100, 333, 700),
      refundId: fc.constantFrom("r1", "r2", "r3"),
      daysAgo: fc.constantFrom(null, null, 0, 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{
        kind: fc.constant("decide" as const),
        sale: index,
        decision: fc.constantFrom("approved" as const, "rejected" as const),
      },
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{
        kind: fc.constant("review" as const),
        sale: index,
        action: fc.constantFrom("hold" as const, "release" as const),
      },
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ kind: fc.constant("assign" as const), customer, partner, days: fc.option(days), payPast: fc.boolean() },
      ...{ source: fc.constantFrom("person" as const, "import" as const), firstSale: fc.option(days) },
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{
        kind: fc.constant("correct" as const),
        sale: index,
        what: fc.constantFrom("cents" as const, "at" as const, "customer" as const),
      },
      ...{ cents: fc.constantFrom(500, 2_000), customer },
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("payout" as const),
      action: fc.constantFrom(
        ...(["create", "create", "finalize", "finalize", "confirm", "confirm", "cancel", "file", "fail"] as const),
      ),
      ...{ partner, back: fc.constantFrom(0, 0, 0, 1), untilDaysAgo: fc.constantFrom(null, null, null, 2, 7) },
      acknowledges: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("adjust" as const), partner, cents: fc.constantFrom(-300, 70, 500) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("erase" as const), customer }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("partner" as const), partner, isActive: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ kind: fc.constant("coupon" as const), coupon: fc.nat({ max: 2 }), isActive: fc.boolean() },
      ...{ from: fc.option(days), until: fc.option(days) },
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ kind: fc.constant("policy" as const), owner: fc.constantFrom("program" as const, 0, 1), terms },
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("group" as const), partner: fc.nat({ max: 1 }), isIn: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait" as const), days: fc.constantFrom(1, 5, 16) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("repeat" as const), sale: index }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("backup" as const, "restore" as const) }) },
);

export type Command = typeof command extends fc.Arbitrary<infer Made> ? Made : never;

/** A policy version that takes effect some days before the start. */
const version = fc.record({
  ...{ owner: fc.constantFrom("program" as const, "program" as const, 0, 1, "group" as const), days, terms },
});

export const history = fc.record({
  settings: fc.record({
    model: fc.constantFrom("last_click" as const, "first_click" as const),
    windowDays: fc.constantFrom(10, 60),
    windowUntil: fc.constantFrom("lead" as const, "lead" as const, "first_sale" as const),
  }),
  policy: terms,
  versions: fc.array(version, { maxLength: 3 }),
  clicks: fc.array(fc.record({ partner, days }), { minLength: 6, maxLength: 6 }),
  commands: fc.array(command, { minLength: 3, maxLength: 24, size: "max" }),
});

export type History = typeof history extends fc.Arbitrary<infer Made> ? Made : never;
