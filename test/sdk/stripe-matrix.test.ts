import Stripe from "stripe";
import { Tributary } from "tributary-sdk";
import { handleStripeEvent, type StripeOptions } from "tributary-sdk/stripe";
import { describe, expect, test } from "vitest";
import type { StripeEventJson } from "../examples/stripe-events.ts";
import { apiVersions, type StripeApi, secondsNow } from "../examples/stripe-payment.ts";
import { startStripe, webhookSecret } from "../examples/stripe-server.ts";
import { isWhole, sampled } from "../support/breadth.ts";
import { at, createProgramFixture, type ProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { paymentScenarios } from "./stripe-payment-scenarios.ts";
import { refundScenarios } from "./stripe-refund-scenarios.ts";
import type { Expected, Scenario } from "./stripe-scenario.ts";

const scenarios = { ...paymentScenarios, ...refundScenarios };
const daySeconds = 86_400;
const currencies = ["eur", "jpy", "kwd"] as const;

/** The orders in which Stripe may deliver events. `late` delivers them three days later, under another policy. */
const deliveries = {
  once: (events) => events,
  twice: (events) => events.flatMap((event) => [event, event]),
  shuffled: (events, seed) => shuffle([...events, ...events], seed),
  late: (events) => events.flatMap((event) => [event, event]),
} satisfies Record<string, (events: readonly StripeEventJson[], seed: number) => readonly StripeEventJson[]>;
type Delivery = keyof typeof deliveries;

function shuffle<T>(items: readonly T[], seed: number): readonly T[] {
  let state = seed;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  return items
    .map((item) => ({ item, key: random() }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ item }) => item);
}

const halfUp = (part: number, whole: number, amount: number) => Math.floor((2 * amount * part + whole) / (2 * whole));

interface Case {
  readonly scenario: Scenario;
  readonly api: StripeApi;
  readonly hasStripe: boolean;
  readonly delivery: Delivery;
  readonly currency: string;
  readonly seed: number;
}

/** Plays a scenario with its own customer. Returns the expected sales. */
async function play(
  shop: ProgramFixture,
  { scenario, api, hasStripe, delivery, currency, seed }: Case,
): Promise<Expected[]> {
  const { stripe, payments } = await startStripe();
  const problems: string[] = [];
  const { key, programId } = shop.world;
  const onError = ({ message }: { message: string }) => problems.push(message);
  const tributary = new Tributary({ apiKey: key, baseUrl: sharedService.url, onError, onWarning: onError });

  const paidAt = secondsNow() - (delivery === "late" ? 3 * daySeconds : 400);
  const clickId = shop.click(shop.alice, (paidAt - daySeconds) * 1_000 + seed);
  const customerKey = `customer ${seed}`;
  if (!scenario.isGuest) {
    await shop.lead({ click_id: clickId, customer_key: customerKey, occurred_at: at((paidAt - 3_600) * 1_000) });
  }
  const keys = { svc_click_id: clickId, svc_customer_key: customerKey, program_id: String(programId) };
  const played = scenario.play({ api, currency, at: paidAt, keys, hasStripe });
  payments.push(...played.payments);
  const options: StripeOptions = { tributary, stripe: hasStripe ? stripe : undefined, ...played.options };

  let left = deliveries[delivery](played.events, seed);
  for (let round = 0; left.length > 0; round += 1) {
    expect(round, `deliveries of ${left.map(({ type }) => type)}: ${problems}`).toBeLessThan(4);
    const again: StripeEventJson[] = [];
    for (const event of left) {
      const payload = JSON.stringify(event, null, 2);
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
      const verified = await stripe.webhooks.constructEventAsync(payload, signature, webhookSecret);
      if ((await handleStripeEvent(verified, options)).status !== 200) again.push(event);
    }
    left = again;
  }
  const rate = delivery === "late" ? 3_000 : 1_000;
  return played.sales.map((sale) => ({ ...sale, commission: commissionOf(sale, rate) }));
}

function commissionOf({ amount, refunded = 0 }: Expected, rateBps: number): number {
  const initial = halfUp(rateBps, 10_000, amount);
  return halfUp(amount - refunded, amount, initial);
}

const salesOf = async ({ world }: ProgramFixture) => {
  const rows = await world.rows(
    `select transaction_id, s.amount_cents, s.currency, is_recurring, refunded_cents, c.amount_cents as commission,
       exists (select 1 from sales o where o.subscription_id = s.subscription_id and o.program_id = s.program_id
         and o.id < s.id and o.occurred_at <= s.occurred_at) as is_known
     from sales s join commissions c on c.sale_id = s.id where s.program_id = ? order by transaction_id`,
    world.programId,
  );
  return rows.map((row) => ({
    id: row.transaction_id,
    amount: Number(row.amount_cents),
    currency: row.currency,
    isRenewal: Boolean(row.is_recurring),
    refunded: Number(row.refunded_cents),
    commission: Number(row.commission),
    isKnown: Boolean(row.is_known),
  }));
};

describe.each(Object.entries(scenarios))('the Stripe scenario "%s"', (name, scenario) => {
  const either = isWhole ? [true, false] : [Object.keys(scenarios).indexOf(name) % 2 === 0];
  const ways = scenario.needsStripe ? [true] : either;
  const cases = sampled(apiVersions.toReversed()).flatMap((api) => ways.map((hasStripe) => ({ api, hasStripe })));

  test.each(cases)("each scenario is recorded: API $api, with Stripe's API: $hasStripe", async ({ api, hasStripe }) => {
    const dayAgo = Date.now() - daySeconds * 1_000;
    const policies = [
      { rateBps: 3_000, effectiveFrom: dayAgo - 200 * daySeconds * 1_000 },
      { rateBps: 1_000, effectiveFrom: dayAgo },
    ];
    const shop = await createProgramFixture({ policies });
    const start = apiVersions.indexOf(api) * 2 + Number(hasStripe);
    const ways = Object.keys(deliveries) as Delivery[];
    // Only the soak combines each delivery order with each currency. Otherwise they alternate, and "shuffled" is always
    // played.
    const chosen = isWhole ? ways : ways.filter((way, i) => way === "shuffled" || i === start % ways.length);
    const plays = chosen.flatMap((delivery, i) =>
      currencies
        .filter((_, j) => isWhole || j === (start + i) % currencies.length)
        .map((currency, j) =>
          play(shop, { scenario, api, hasStripe, delivery, currency, seed: 10 * start + 3 * i + j }),
        ),
    );
    const expected = (await Promise.all(plays)).flat();
    const sales = await salesOf(shop);
    // A payment that arrives before earlier ones can't be recognized as a renewal.
    const known = new Map(sales.map(({ id, isKnown }) => [id, isKnown]));
    const sorted = expected
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map((sale) => ({ ...sale, isRenewal: sale.isRenewal && known.get(sale.id) }));
    expect(sales.map(({ isKnown: _, ...sale }) => sale)).toEqual(sorted);
  });
});
