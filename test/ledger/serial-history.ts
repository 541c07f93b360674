import fc from "fast-check";

// Generates parallel bursts of calls about few customers, clicks and transactions, so that the calls collide.

/** The clicks' ages in days, alternating between partners. The oldest click is outside every window. */
export const clickDays = [70, 40, 29, 25, 11, 3, 2] as const;

export type Call =
  | {
      readonly kind: "lead";
      readonly isTest: boolean;
      readonly by: "key" | "browser";
      readonly customer: string | null;
      readonly clicks: readonly number[];
      readonly daysAgo: number;
    }
  | {
      readonly kind: "sale";
      readonly isTest: boolean;
      readonly transaction: string;
      readonly customer: string | null;
      readonly clicks: readonly number[];
      readonly subscription: string | null;
      readonly isRecurring: boolean | "auto";
      readonly amountCents: number;
      readonly isGift: boolean;
      readonly coupons: readonly string[];
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
  | { readonly kind: "click"; readonly isTest: boolean; readonly partner: number; readonly event: string | null }
  | { readonly kind: "decide"; readonly transaction: string; readonly decision: "approved" | "rejected" }
  | {
      readonly kind: "review";
      readonly transactions: readonly string[];
      readonly action: "hold" | "release";
    }
  | { readonly kind: "partner"; readonly partner: number; readonly status: "active" | "paused" }
  | { readonly kind: "coupon"; readonly coupon: number; readonly status: "active" | "paused" }
  | { readonly kind: "group"; readonly partner: number; readonly isIn: boolean }
  | {
      readonly kind: "policy";
      readonly isOfGroup: boolean;
      readonly scope: Scope;
      readonly rateBps: number;
      readonly hasRules: boolean;
    }
  | { readonly kind: "program"; readonly model: "last_click" | "first_click"; readonly windowDays: number };

export type Scope = "one_time" | "recurring" | "lifetime";

/** Calls sent concurrently. Some are sent after a pause (ms). */
export interface Burst {
  readonly calls: readonly { readonly call: Call; readonly pauseMs: number }[];
  /** True if all calls are answered before the next burst. */
  readonly isAwaited: boolean;
}

interface Of {
  readonly isTest: fc.Arbitrary<boolean>;
  readonly customer: fc.Arbitrary<string | null>;
  readonly transaction: fc.Arbitrary<string>;
  readonly clicks: fc.Arbitrary<readonly number[]>;
}

const transactions = Array.from({ length: 10 }, (_, i) => `t${i}`);
/** Customers that all have the same address. */
export const newcomers = ["c2", "c3", "c4", "c5"];
const click = fc.nat(clickDays.length - 1);
const anybody: Of = {
  isTest: fc.constantFrom(false, false, false, true),
  customer: fc.option(fc.constantFrom("c0", "c0", "c1"), { nil: null, freq: 4 }),
  transaction: fc.constantFrom(...transactions),
  clicks: fc.uniqueArray(click, { maxLength: 2 }),
};
const noClicks = fc.constant([]);
const daysAgo = fc.constantFrom(0, 0, 0, 1, 10, 30);
export const scope: fc.Arbitrary<Scope> = fc.constantFrom("one_time", "one_time", "recurring", "lifetime");

const leadOf = ({ isTest, customer, clicks }: Of, by = fc.constantFrom("key" as const, "key" as const, "browser")) =>
  fc.record({ kind: fc.constant("lead" as const), isTest, by, customer, clicks, daysAgo });

const saleOf = ({ isTest, customer, transaction, clicks }: Of) =>
  fc.record({
    kind: fc.constant("sale" as const),
    isTest,
    transaction,
    customer,
    clicks: fc.oneof({ weight: 2, arbitrary: noClicks }, clicks),
    subscription: fc.option(fc.constantFrom("s0", "s1"), { nil: null, freq: 1 }),
    isRecurring: fc.constantFrom(false, false, "auto" as const, "auto" as const, true),
    amountCents: fc.constantFrom(3, 10, 1_005, 99_999),
    isGift: fc.constantFrom(false, false, false, true),
    coupons: fc.constantFrom([], [], [], ["alice5"], ["BOB5"], ["gone", "BOB5", "ALICE5"]),
    daysAgo,
  });
const plainSaleOf = (of: Of) => saleOf({ ...of, clicks: noClicks });

const anyRefund = ["rest", "amount", "amount", "amount", "total", "cancel"] as const;
const refundOf = ({ isTest, transaction }: Of, asked: readonly (typeof anyRefund)[number][] = anyRefund) =>
  fc.record({
    kind: fc.constant("refund" as const),
    isTest,
    transaction,
    asked: fc.constantFrom(...asked),
    cents: fc.constantFrom(1, 2, 5, 335),
    refundId: fc.constantFrom("r0", "r0", "r1"),
    isNamed: fc.boolean(),
  });

const decisionOf = ({ transaction }: Of, decision = fc.constantFrom("approved" as const, "rejected" as const)) =>
  fc.record({ kind: fc.constant("decide" as const), transaction, decision });

const reviewOf = ({ transaction }: Of) =>
  fc.record({
    kind: fc.constant("review" as const),
    transactions: fc.uniqueArray(transaction, { minLength: 1, maxLength: 3 }),
    action: fc.constantFrom("hold" as const, "hold" as const, "release" as const),
  });

const visit = fc.record({
  kind: fc.constant("click" as const),
  isTest: anybody.isTest,
  partner: fc.nat(1),
  event: fc.constantFrom(null, "e0", "e1"),
});
const change = fc.oneof(
  fc.record({ kind: fc.constant("partner" as const), partner: fc.nat(1), status: fc.constantFrom("active", "paused") }),
  fc.record({ kind: fc.constant("coupon" as const), coupon: fc.nat(1), status: fc.constantFrom("active", "paused") }),
  fc.record({ kind: fc.constant("group" as const), partner: fc.nat(1), isIn: fc.boolean() }),
  fc.record({
    kind: fc.constant("policy" as const),
    isOfGroup: fc.boolean(),
    scope,
    rateBps: fc.constantFrom(1_000, 3_333),
    hasRules: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("program" as const),
    model: fc.constantFrom("last_click", "first_click"),
    windowDays: fc.constantFrom(14, 60),
  }),
);

function burstOf(lengths: readonly [number, number], ...kinds: [number, fc.Arbitrary<Call>][]): fc.Arbitrary<Burst> {
  const call = fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary })));
  const [minLength, maxLength] = lengths;
  const calls = fc.array(fc.record({ call, pauseMs: fc.constantFrom(0, 0, 0, 0, 1, 5) }), { minLength, maxLength });
  return fc.record({ calls, isAwaited: fc.boolean() });
}
const awaited = (burst: fc.Arbitrary<Burst>) => burst.map(({ calls }) => ({ calls, isAwaited: true }));

/** Bursts in one book, about one customer, a few transactions and one click. */
const about = (
  customers: readonly (string | null)[],
  mostTransactions: number,
  bursts: (of: Of, others: Of) => readonly fc.Arbitrary<Burst>[],
): fc.Arbitrary<readonly Burst[]> =>
  fc
    .record({
      isTest: anybody.isTest,
      customer: fc.constantFrom(...customers),
      few: fc.subarray(transactions, { minLength: 1, maxLength: mostTransactions }),
      click,
    })
    .chain(({ isTest, customer, few, click }) => {
      const of = {
        isTest: fc.constant(isTest),
        customer: fc.constant(customer),
        transaction: fc.constantFrom(...few),
        clicks: fc.constant([click]),
      };
      return fc.tuple(...bursts(of, { ...anybody, isTest: of.isTest }));
    });

const mixed = burstOf(
  [4, 12],
  [5, leadOf(anybody)],
  [8, saleOf(anybody)],
  [5, refundOf(anybody)],
  [2, decisionOf(anybody)],
  [2, reviewOf(anybody)],
  [2, visit],
  [1, change],
).map((burst) => [burst]);

/** Mostly plain sales, with an occasional lead. */
const salesOfOne = about(["c0", "c0", "c1", null], 10, (of, others) => [
  burstOf(
    [5, 12],
    [6, plainSaleOf(of)],
    [2, saleOf({ ...of, clicks: others.clicks })],
    [2, leadOf({ ...of, clicks: others.clicks })],
    [1, refundOf(others)],
    [1, decisionOf(others)],
    [1, reviewOf(others)],
  ),
]);

/** Sales of one subscription, most of them without a customer key. */
const salesOfOneSubscription = fc.constantFrom("s0", "s1", "s2", "s3").chain((subscription) =>
  about(["c0", "c1", ...newcomers], 10, (of) => {
    const renewed = (of: Of) => plainSaleOf(of).map((sale) => ({ ...sale, subscription }));
    const nameless = { ...of, customer: fc.constant(null) };
    return [
      burstOf([1, 3], [1, renewed(of)]),
      burstOf([4, 8], [1, renewed(of)], [4, renewed(nameless)], [3, leadOf(of)]),
    ];
  }),
);

/** Calls mixed with settings changes. Each call is decided by the settings at its turn. */
const salesAmidChanges = about(["c0", ...newcomers], 10, (of) => [
  burstOf([6, 12], [3, change], [2, visit], [2, leadOf(of)], [4, saleOf(of)], [1, refundOf(of)]),
]);

const refundsOfFew = about(["c0"], 2, (of, others) => [
  burstOf(
    [4, 10],
    [8, refundOf(of)],
    [3, saleOf({ ...others, transaction: of.transaction })],
    [1, decisionOf(of)],
    [1, leadOf(others)],
  ),
]);

/** A `one_time` policy's commission moves between two sales, as one is refunded and the other's refund is canceled. */
const placeOfOne = fc
  .shuffledSubarray(transactions, { minLength: 2, maxLength: 2 })
  .chain(([first = "", second = ""]) =>
    about(["c0", ...newcomers], 1, (of) => {
      const either = { ...of, transaction: fc.constantFrom(first, second) };
      const sale = (transaction: string) =>
        saleOf({ ...of, transaction: fc.constant(transaction) }).map((sale) => ({ ...sale, isRecurring: false }));
      const refund = (of: Of, asked: readonly ("rest" | "cancel")[]) =>
        refundOf(of, asked).map((refund) => ({ ...refund, refundId: "r0", isNamed: true }));
      return [
        awaited(burstOf([1, 2], [1, sale(first)])),
        awaited(burstOf([1, 1], [1, refund({ ...of, transaction: fc.constant(first) }, ["rest"])])),
        awaited(burstOf([1, 1], [1, sale(second)])),
        burstOf([4, 8], [6, refund(either, ["rest", "cancel"])], [1, plainSaleOf(of)]),
      ];
    }),
  );

/** A browser's lead that an approval confirms. */
const approvals = about(newcomers, 4, (of, others) => [
  awaited(burstOf([3, 6], [3, plainSaleOf(of)], [2, leadOf(of, fc.constant("browser"))])),
  burstOf(
    [4, 8],
    [4, decisionOf(of, fc.constantFrom("approved", "approved", "rejected"))],
    [4, plainSaleOf({ ...of, transaction: others.transaction })],
    [1, leadOf({ ...of, clicks: others.clicks })],
    [1, refundOf(of)],
  ),
]);

/** One payment reported under two ids, by the same customer or by another customer with the same address. */
const toldTwice = fc.shuffledSubarray(newcomers, { minLength: 2, maxLength: 2 }).chain(([first = "", second = ""]) =>
  about([first], 10, (of) => {
    const lead = (customer: string) => leadOf({ ...of, customer: fc.constant(customer) }, fc.constant("key"));
    const sale = fc
      .record({ sale: plainSaleOf(of), prefix: fc.constantFrom("in_", "pi_"), isOther: fc.boolean() })
      .map(({ sale, prefix, isOther }) => ({
        ...{ ...sale, transaction: `${prefix}${sale.transaction}`, amountCents: 1_005, daysAgo: 30 },
        customer: isOther ? second : first,
      }));
    const told = { ...of, transaction: sale.map(({ transaction }) => transaction) };
    return [
      // A sale that is decided while a lead gives another customer the same address may miss the duplicate.
      awaited(burstOf([1, 1], [1, lead(first)])),
      awaited(burstOf([1, 1], [1, lead(second)])),
      burstOf([4, 8], [5, sale], [1, lead(second)], [1, reviewOf(told)], [1, refundOf(told)]),
      burstOf([3, 6], [2, sale], [2, reviewOf(told)], [1, decisionOf(told)], [1, refundOf(told)]),
    ];
  }),
);

/** A coupon, a click or a person attributes the customer. */
const couponsOfOne = about(newcomers, 6, (of, others) => {
  const sale = plainSaleOf(of).map((sale) => ({ ...sale, isRecurring: false }));
  const couponed = fc
    .record({ sale, coupons: fc.constantFrom(["ALICE5"], ["BOB5"]) })
    .map(({ sale, coupons }) => ({ ...sale, coupons }));
  return [
    awaited(burstOf([1, 3], [3, couponed], [1, sale])),
    burstOf([3, 8], [4, couponed], [2, sale], [2, leadOf({ ...of, clicks: others.clicks })], [2, refundOf(of)]),
    burstOf([2, 6], [3, couponed], [1, decisionOf(of)], [2, leadOf({ ...of, clicks: others.clicks })], [1, change]),
  ];
});

/** A browser attributes a customer by one click. */
const customersOfOneClick = about([null], 10, (of) => {
  const any = { ...of, customer: fc.constantFrom(null, ...newcomers) };
  return [burstOf([4, 8], [4, leadOf(any, fc.constant("browser"))], [1, leadOf(any)], [1, saleOf(any)])];
});

const bursts = fc.oneof(
  ...[mixed, salesOfOne, salesOfOneSubscription, salesAmidChanges, refundsOfFew, placeOfOne, approvals],
  ...[customersOfOneClick, toldTwice, couponsOfOne],
);

export const history: fc.Arbitrary<readonly Burst[]> = fc
  .tuple(salesOfOne, fc.array(bursts, { minLength: 3, maxLength: 6 }))
  .map(([first, others]) => [first, ...others].flat());
