import { addMonthsUtc, dayMs, hourMs } from "#domain/calendar.ts";
import { sampleWebsiteUrl } from "#domain/sample-program.ts";
import type { Happening, Sale, SampleEvent } from "./events.ts";
import { currency, partners, pausedOnDay, pausedPartner } from "./shop.ts";

/** A day of the sample, from 0, and the hour of that day in UTC. */
type When = readonly [day: number, hour: number];
type Step = readonly [when: When, happening: Happening];

export const instantOf = (start: number, [day, hour]: When): number => start + day * dayMs + hour * hourMs;

/**
 * Events of individual customers. They make sure that each reason, state and decision occurs, whatever the random
 * traffic contains.
 */
export function stories(start: number): readonly SampleEvent[] {
  const steps = [
    ...unattributed,
    ...withoutCommission,
    ...disputeWon,
    ...movedToAnotherPartner,
    ...decided,
    ...unconfirmed,
    ...withCoupon,
    ...held,
    ...paidOut,
  ];
  return [...steps.map(([when, happening]) => ({ ...happening, at: instantOf(start, when) })), ...renewals(start)];
}

function click(partner: string, name: string): Happening {
  const site = partners.find(({ code }) => code === partner)?.site;
  return {
    kind: "click",
    name,
    partner,
    visitor: name,
    visit: {
      isBot: false,
      pageUrl: `${sampleWebsiteUrl}/?aff=${partner}&utm_source=${partner}&utm_medium=newsletter`,
      referrerUrl: `${site}/gear`,
      country: "NL",
      language: "nl-NL",
      timezone: "Europe/Amsterdam",
      deviceType: "desktop",
      os: "macOS",
      browser: "Safari",
      screenResolution: "1512x982",
      viewportSize: "1512x860",
    },
  };
}

const lead = (customer: string, clicks: readonly string[], by: "key" | "browser" = "key"): Happening => ({
  kind: "lead",
  customer,
  by,
  clicks,
});

const sale = (customer: string, transaction: string, more: Partial<Sale> = {}): Happening => ({
  kind: "sale",
  customer,
  transaction,
  cents: 6_900,
  currency,
  product: "merino-base-layer",
  ...more,
});

/** A customer who signs up an hour after the click. */
const referred = (customer: string, partner: string, [day, hour]: When): readonly Step[] => [
  [[day, hour], click(partner, `${customer} click`)],
  [[day, hour + 1], lead(customer, [`${customer} click`])],
];

const unattributed: readonly Step[] = [
  [[12, 10], lead("cus_201", [])],
  [[13, 11], sale("cus_201", "order-201")],
  [[20, 12], sale("cus_202", "order-202", { hasInvalidClick: true })],
  [[24, 9], sale("cus_203", "order-203")],
  [[15, 14], sale("cus_204", "order-204")],
  ...referred("cus_204", "polder", [30, 10]),
  [[33, 16], sale("cus_204", "order-205", { cents: 12_900, product: "trail-shoes" })],
  [[4, 9], click("canvas", "cus_205 click")],
  [[50, 9], lead("cus_205", ["cus_205 click"])],
  [[51, 15], sale("cus_205", "order-206")],
];

const withoutCommission: readonly Step[] = [
  // This customer's sale is a day before the program's first policy.
  ...referred("cus_211", "trailhead", [0, 13]),
  [[0, 18], sale("cus_211", "order-211")],
  ...referred("cus_212", pausedPartner, [40, 8]),
  [[42, 9], sale("cus_212", "order-212")],
  [[pausedOnDay + 4, 9], sale("cus_212", "order-213")],
  ...referred("cus_213", "summit", [37, 19]),
  [[38, 8], sale("cus_213", "order-214", { currency: "USD" })],
  [[44, 12], sale("cus_213", "order-215", { cents: 900, product: "gift-card" })],
  ...referred("cus_214", "wander", [18, 9]),
  ...referred("cus_215", "basecamp", [10, 9]),
];

/** Two monthly subscriptions: one partner earns on the first payment only, the other one for two months. */
function renewals(start: number): readonly SampleEvent[] {
  const subscribed = (customer: string, when: When) =>
    [0, 1, 2].map((months): SampleEvent => {
      const at = addMonthsUtc(instantOf(start, when), months) + (months === 0 ? 0 : hourMs);
      const subscription = { id: `sub_${customer.slice(4)}`, isRenewal: months > 0 };
      const transaction = `order-${customer.slice(4)}-${months}`;
      return { ...sale(customer, transaction, { cents: 1_900, product: "gear-club-monthly", subscription }), at };
    });
  return [...subscribed("cus_214", [19, 9]), ...subscribed("cus_215", [11, 9])];
}

const disputeWon: readonly Step[] = [
  ...referred("cus_221", "polder", [53, 9]),
  [[55, 13], sale("cus_221", "order-221", { cents: 28_900, product: "two-person-tent" })],
  [[60, 8], { kind: "refund", transaction: "order-221", refundId: "dp_221", reason: "Disputed by the card holder" }],
  [[72, 8], { kind: "refund-canceled", transaction: "order-221", refundId: "dp_221" }],
];

const movedToAnotherPartner: readonly Step[] = [
  ...referred("cus_231", "canvas", [45, 9]),
  ...referred("cus_231", "trailhead", [47, 19]).map(renamed),
  [[49, 20], sale("cus_231", "order-231", { cents: 17_900, product: "rain-jacket" })],
];

function renamed([when, happening]: Step): Step {
  const name = "cus_231 second click";
  if (happening.kind === "click") return [when, { ...happening, name, visitor: name }];
  return [when, lead("cus_231", [name])];
}

/** A sale that a member of the workspace decides three days later. */
function decidedSale(customer: string, partner: string, day: number, rejectedFor?: string): readonly Step[] {
  const transaction = `order-${customer.slice(4)}`;
  const decision: Happening =
    rejectedFor === undefined
      ? { kind: "decision", transaction, decision: "approved" }
      : { kind: "decision", transaction, decision: "rejected", reason: rejectedFor };
  return [
    ...referred(customer, partner, [day, 9]),
    [[day, 20], sale(customer, transaction, { cents: 12_900, product: "trail-shoes" })],
    [[day + 3, 14], decision],
  ];
}

const decided: readonly Step[] = [
  ...decidedSale("cus_241", "trailhead", 62),
  ...decidedSale("cus_242", "basecamp", 70),
  ...decidedSale("cus_243", "polder", 78),
  ...decidedSale("cus_244", "canvas", 81),
  ...decidedSale("cus_245", "trailhead", 34, "The partner's own order"),
  ...decidedSale("cus_246", "wander", 58, "Coupon code shared outside the campaign"),
  ...decidedSale("cus_247", "basecamp", 80, "The partner's own order"),
];

/** Only the browser reports the click. A member approves the first sale. */
const unconfirmed: readonly Step[] = [
  [[52, 9], click("trailhead", "cus_251 click")],
  [[52, 10], lead("cus_251", ["cus_251 click"], "browser")],
  [[53, 12], sale("cus_251", "order-251")],
  [[68, 9], { kind: "decision", transaction: "order-251", decision: "approved" }],
  [[83, 9], click("canvas", "cus_252 click")],
  [[83, 10], lead("cus_252", ["cus_252 click"], "browser")],
  [[85, 12], sale("cus_252", "order-252", { cents: 17_900, product: "rain-jacket" })],
];

/** A customer who has heard of the shop in a podcast and hasn't clicked a link. */
const withCoupon: readonly Step[] = [
  [[56, 9], { kind: "coupon-created", partner: "trailhead", codes: ["TRAIL10"] }],
  [[56, 10], { kind: "coupon-created", partner: "canvas", codes: ["CANVAS15", "promo_canvas15"] }],
  [[82, 18], sale("cus_261", "order-261", { cents: 12_900, product: "trail-shoes", coupons: ["canvas15"] })],
];

const held: readonly Step[] = [
  ...referred("cus_271", "polder", [84, 9]),
  [[84, 21], sale("cus_271", "order-271", { cents: 86_700, product: "two-person-tent" })],
  [[85, 9], { kind: "held", transaction: "order-271", reason: "Three tents at once: is it a reseller?" }],
];

/** A sale of each partner whom the second payout pays by another method, or fails to pay. */
const paidOut: readonly Step[] = ["basecamp", "polder", "summit", "wander"].flatMap((partner, i) => {
  const customer = `cus_28${i}`;
  const day = 46 + i;
  return [...referred(customer, partner, [day, 9]), [[day, 20], sale(customer, `order-28${i}`)]] as const;
});
