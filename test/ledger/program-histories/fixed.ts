import type { History } from "./commands.ts";

const sale = { kind: "sale", isNow: false, clicks: [], cents: 1_000, currency: "EUR", coupons: [] } as const;
const once = { isRecurring: false, subscription: null } as const;
const payout = { kind: "payout", partner: 0, back: 0, untilDaysAgo: null, acknowledges: false } as const;
const program: Omit<History, "commands"> = {
  settings: { model: "last_click", windowDays: 10, windowUntil: "lead" },
  policy: {
    ...{ type: "percent", scope: "lifetime", holdDays: 0, rateBps: 2_000 },
    ...{ minSaleCents: null, maxCommissionCents: null },
  },
  versions: [],
  clicks: [0, 31, 0, 0, 0, 0].map((days) => ({ partner: 0, days })),
};

/** Histories that are too rare among random ones. */
export const fixed: readonly History[] = [
  // The lead is outside the window of click 1, which attributes customer 0 because their first sale is within it. Once
  // that sale is customer 1's, the first sale of customer 0 is before or after the lead, and outside the window too.
  ...[0.5, 0].map((days) => ({
    ...program,
    commands: [
      { ...sale, ...once, customer: 0, days: 21.5 },
      { kind: "lead" as const, customer: 0, days: 0.25, isNow: false, clicks: [1] },
      { kind: "correct" as const, sale: 0, what: "customer" as const, cents: 500 as const, customer: 1 },
      { ...sale, ...once, customer: 0, days },
    ],
  })),
  // The sale is repeated after its commission was reserved by a payout and its amount was refunded.
  {
    ...program,
    commands: [
      { ...sale, ...once, customer: 0, days: 0, coupons: [0] },
      { ...payout, action: "create" },
      { ...payout, action: "finalize" },
      { kind: "refund", sale: 0, asked: "rest", charge: null, cents: 1, refundId: "r1", daysAgo: null },
      { kind: "repeat", sale: 0 },
    ],
  },
];
