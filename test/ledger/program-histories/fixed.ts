import type { History } from "./commands.ts";

const sale = { kind: "sale", isNow: false, clicks: [], cents: 1_000, currency: "EUR", coupons: [] } as const;
const once = { isRecurring: false, subscription: null } as const;

/** Histories that are too rare among random ones. */
export const fixed: readonly History[] = [
  // The second lead is outside the window of click 1, which attributes customer 0 because their first sale is within
  // it. Once that sale is customer 1's, the first sale of customer 0 is outside the window too.
  {
    settings: { model: "last_click", windowDays: 10, windowUntil: "lead" },
    policy: {
      ...{ type: "percent", scope: "lifetime", holdDays: 0, rateBps: 2_000 },
      ...{ minSaleCents: null, maxCommissionCents: null },
    },
    versions: [],
    clicks: [0, 31, 0, 0, 0, 0].map((days) => ({ partner: 0, days })),
    commands: [
      { kind: "lead", customer: 0, days: 0, isNow: false, clicks: [1] },
      { ...sale, ...once, customer: 0, days: 21.5 },
      { kind: "lead", customer: 0, days: 0, isNow: true, clicks: [0] },
      { kind: "correct", sale: 0, what: "customer", cents: 500, customer: 1 },
      { ...sale, ...once, customer: 0, days: 0.5 },
    ],
  },
];
