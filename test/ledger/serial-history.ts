import fc from "fast-check";

// Few customers, clicks and transactions, in bursts of parallel calls: they collide.

/** Ages in days, of the partners in turn; the oldest is outside every window. */
export const clickDays = [70, 40, 29, 25, 11, 3, 2] as const;

export type Call =
  | {
      readonly kind: "lead";
      readonly isTest: boolean;
      readonly by: "key" | "browser";
      readonly customer: string | undefined;
      readonly clicks: readonly number[];
      readonly daysAgo: number;
    }
  | {
      readonly kind: "sale";
      readonly isTest: boolean;
      readonly transaction: string;
      readonly customer: string | undefined;
      readonly clicks: readonly number[];
      readonly subscription: string | undefined;
      readonly isRecurring: boolean;
      readonly amountCents: number;
      readonly daysAgo: number;
    }
  | {
      readonly kind: "refund";
      readonly isTest: boolean;
      readonly transaction: string;
      readonly asked: "rest" | "amount" | "total" | "cancel";
      readonly cents: number;
      readonly refundId: string;
      readonly isNamed: boolean;
    }
  | { readonly kind: "click"; readonly isTest: boolean; readonly partner: number; readonly event: string | undefined }
  | { readonly kind: "decide"; readonly transaction: string; readonly decision: "approved" | "rejected" }
  | { readonly kind: "partner"; readonly partner: number; readonly status: "active" | "paused" }
  | { readonly kind: "policy"; readonly scope: Scope; readonly rateBps: number }
  | { readonly kind: "program"; readonly model: "last_click" | "first_click"; readonly windowDays: number };

export type Scope = "one_time" | "recurring" | "lifetime";

/** Calls that are sent at once, but for pauses (ms) ahead of some. */
export interface Burst {
  readonly calls: readonly { readonly call: Call; readonly pauseMs: number }[];
  /** Whether all of them are answered before the next burst. */
  readonly isAwaited: boolean;
}

const customers = ["c0", "c0", "c1"];
const transactions = Array.from({ length: 10 }, (_, i) => `t${i}`);
const book = fc.constantFrom(false, false, false, true);
const click = fc.nat(clickDays.length - 1);
const customer = fc.option(fc.constantFrom(...customers), { nil: undefined, freq: 4 });
const transaction = fc.constantFrom(...transactions);
const daysAgo = fc.constantFrom(0, 0, 0, 1, 10, 30);
const pauseMs = fc.constantFrom(0, 0, 0, 0, 1, 5);
export const scope: fc.Arbitrary<Scope> = fc.constantFrom("one_time", "one_time", "recurring", "lifetime");

const leadOf = (isTest: typeof book, of: typeof customer) =>
  fc.record({
    kind: fc.constant("lead" as const),
    isTest,
    by: fc.constantFrom("key", "key", "browser"),
    customer: of,
    clicks: fc.oneof({ weight: 8, arbitrary: fc.uniqueArray(click, { minLength: 1, maxLength: 2 }) }, fc.constant([])),
    daysAgo,
  });
const saleOf = (isTest: typeof book, of: typeof customer, ofTransaction = transaction) =>
  fc.record({
    kind: fc.constant("sale" as const),
    isTest,
    transaction: ofTransaction,
    customer: of,
    clicks: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.uniqueArray(click, { maxLength: 2 })),
    subscription: fc.option(fc.constantFrom("s0", "s1"), { nil: undefined, freq: 1 }),
    isRecurring: fc.constantFrom(false, false, false, true),
    amountCents: fc.constantFrom(3, 10, 1_005, 99_999),
    daysAgo,
  });
const refundOf = (isTest: typeof book, ofTransaction: typeof transaction) =>
  fc.record({
    kind: fc.constant("refund" as const),
    isTest,
    transaction: ofTransaction,
    asked: fc.constantFrom("rest", "amount", "amount", "amount", "total", "cancel"),
    cents: fc.constantFrom(1, 2, 5, 335),
    refundId: fc.constantFrom("r0", "r1", "r2"),
    isNamed: fc.boolean(),
  });
const decisionOf = (ofTransaction: typeof transaction) =>
  fc.record({
    kind: fc.constant("decide" as const),
    transaction: ofTransaction,
    decision: fc.constantFrom("approved", "rejected"),
  });
const visit = fc.record({
  kind: fc.constant("click" as const),
  isTest: book,
  partner: fc.nat(1),
  event: fc.constantFrom(undefined, "e0", "e1"),
});
const change = fc.oneof(
  fc.record({ kind: fc.constant("partner" as const), partner: fc.nat(1), status: fc.constantFrom("active", "paused") }),
  fc.record({ kind: fc.constant("policy" as const), scope, rateBps: fc.constantFrom(1_000, 3_333) }),
  fc.record({
    kind: fc.constant("program" as const),
    model: fc.constantFrom("last_click", "first_click"),
    windowDays: fc.constantFrom(14, 60),
  }),
);

const burstOf = (call: fc.Arbitrary<Call>, minLength: number, maxLength: number): fc.Arbitrary<Burst> =>
  fc.record({ calls: fc.array(fc.record({ call, pauseMs }), { minLength, maxLength }), isAwaited: fc.boolean() });

const mixed = burstOf(
  fc.oneof(
    { weight: 5, arbitrary: leadOf(book, customer) },
    { weight: 8, arbitrary: saleOf(book, customer) },
    { weight: 5, arbitrary: refundOf(book, transaction) },
    { weight: 2, arbitrary: decisionOf(transaction) },
    { weight: 2, arbitrary: visit },
    { weight: 1, arbitrary: change },
  ),
  4,
  12,
);

/** Sales of one customer, most of them plain, with a lead now and then in between. */
const salesOfOne = fc
  .tuple(book, customer)
  .map(([isTest, of]) => [fc.constant(isTest), fc.constant(of)] as const)
  .chain(([isTest, of]) =>
    burstOf(
      fc.oneof(
        { weight: 6, arbitrary: saleOf(isTest, of).map((sale) => ({ ...sale, clicks: [] })) },
        { weight: 2, arbitrary: saleOf(isTest, of) },
        { weight: 2, arbitrary: leadOf(isTest, of) },
        { weight: 1, arbitrary: refundOf(isTest, transaction) },
        { weight: 1, arbitrary: decisionOf(transaction) },
      ),
      5,
      12,
    ),
  );

/** Sales of one subscription, most of which name no customer, with leads of its own. */
const renewals = fc
  .tuple(book, customer, fc.constantFrom("s0", "s1", "s2", "s3"))
  .map(([isTest, of, subscription]) => [fc.constant(isTest), fc.constant(of), { subscription, clicks: [] }] as const)
  .chain(([isTest, of, ofSubscription]) =>
    burstOf(
      fc.oneof(
        { weight: 2, arbitrary: saleOf(isTest, of).map((sale) => ({ ...sale, ...ofSubscription })) },
        {
          weight: 4,
          arbitrary: saleOf(isTest, fc.constant(undefined)).map((sale) => ({ ...sale, ...ofSubscription })),
        },
        { weight: 2, arbitrary: leadOf(isTest, of) },
      ),
      4,
      8,
    ),
  );

/** Refunds of one or two sales, with what else may touch them. */
const refundsOfFew = fc
  .tuple(book, fc.subarray(transactions, { minLength: 1, maxLength: 2 }))
  .map(([isTest, few]) => [fc.constant(isTest), fc.constantFrom(...few)] as const)
  .chain(([isTest, few]) =>
    burstOf(
      fc.oneof(
        { weight: 8, arbitrary: refundOf(isTest, few) },
        { weight: 3, arbitrary: saleOf(isTest, customer, few) },
        { weight: 1, arbitrary: decisionOf(few) },
        { weight: 1, arbitrary: leadOf(isTest, customer) },
      ),
      4,
      10,
    ),
  );

const bursts = fc.array(fc.oneof(mixed, salesOfOne, renewals, refundsOfFew), { minLength: 3, maxLength: 7 });

export const history = fc.tuple(salesOfOne, bursts).map(([first, others]) => [first, ...others]);
