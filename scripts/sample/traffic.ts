import { addMonthsUtc, dayMs, hourMs } from "#domain/calendar.ts";
import { sampleWebsiteUrl } from "#domain/sample-program.ts";
import type { EventOf, SampleEvent } from "./events.ts";
import type { Random } from "./random.ts";
import {
  campaign,
  currency,
  days,
  devices,
  partners,
  pausedOnDay,
  pausedPartner,
  places,
  products,
  refundReasons,
} from "./shop.ts";

const clicksPerDay = 24;
const minuteMs = 60_000;
/** The factors by which visits differ on each weekday, Sunday first. */
const weekdays = [1.3, 1.05, 0.9, 0.9, 0.95, 0.8, 1.1];
const maxRenewals = 3;

/** Returns ninety days of visits from `start` on, with the sign-ups, sales and refunds that result from them. */
export function* traffic(start: number, random: Random): Generator<SampleEvent> {
  const journeys = new Journeys(random);
  for (let day = 0; day < days; day += 1) {
    const midnight = start + day * dayMs;
    const visitors = Math.round(clicksPerDay * levelOf(day, midnight) * random.between(0.8, 1.2));
    for (let i = 0; i < visitors; i += 1) yield* journeys.visit(midnight + timeOfDay(random), day);
    if (random.isTrue(0.4)) yield* journeys.organicSale(midnight + timeOfDay(random));
  }
}

function levelOf(day: number, midnight: number): number {
  const weekday = weekdays[new Date(midnight).getUTCDay()] ?? 1;
  return weekday * (0.8 + (0.6 * day) / days) * (campaignLevel(day) ?? 1);
}

const campaignLevel = (day: number): number | undefined => campaign.levels[day - campaign.firstDay];

/** Returns a time between 6:00 and 22:00 UTC, mostly in the evening. */
const timeOfDay = (random: Random): number => Math.floor((22 - random.mostlyLow(0, 16)) * hourMs);

class Journeys {
  readonly #random: Random;
  #visits = 0;
  #customers = 1_000;
  #orders = 5_000;

  constructor(random: Random) {
    this.#random = random;
  }

  *visit(at: number, day: number): Generator<SampleEvent> {
    const random = this.#random;
    const isCampaign = campaignLevel(day) !== undefined;
    const choices = partners
      .filter(({ code }) => code !== pausedPartner || day < pausedOnDay)
      .map((each) => (isCampaign && each.code === campaign.partner ? { ...each, weight: 80 } : each));
    const { code, site } = random.pick(choices);
    const utm = isCampaign && code === campaign.partner ? `&utm_campaign=${campaign.name}` : "";
    const product = random.pick(products);
    const pageUrl = `${sampleWebsiteUrl}${product.path}?aff=${code}&utm_source=${code}&utm_medium=referral${utm}`;
    this.#visits += 1;
    const name = `visit-${this.#visits}`;
    const click = { kind: "click", at, name, partner: code } as const;
    if (random.isTrue(0.05)) {
      yield { ...click, visitor: name, visit: botVisit(pageUrl) };
      return;
    }
    const visit = this.#visitOf(pageUrl, `${site}${product.path}`);
    yield { ...click, visitor: name, visit };
    if (random.isTrue(0.12)) yield { ...click, at: at + 20 * minuteMs, name: `${name}-again`, visitor: name, visit };
    if (!random.isTrue(0.092)) return;

    const by = random.isTrue(0.12) ? "browser" : "key";
    const signedUpAt = at + random.mostlyLow(5 * minuteMs, 4 * dayMs);
    const customer = this.#newCustomer();
    yield { kind: "lead", at: signedUpAt, customer, by, clicks: [name] };
    if (random.isTrue(0.5)) yield* this.#sale(customer, signedUpAt + random.mostlyLow(3 * minuteMs, 9 * dayMs), visit);
  }

  *organicSale(at: number): Generator<SampleEvent> {
    yield* this.#sale(this.#newCustomer(), at, { country: this.#random.pick(places).country });
  }

  #newCustomer(): string {
    this.#customers += 1;
    return `cus_${this.#customers}`;
  }

  #visitOf(pageUrl: string, referrerUrl: string): EventOf<"click">["visit"] {
    const { country, language, timezone } = this.#random.pick(places);
    const { deviceType, os, browser, screenResolution } = this.#random.pick(devices);
    const known = { country, language, timezone, deviceType, os, browser, screenResolution };
    return { isBot: false, pageUrl, referrerUrl, ...known, viewportSize: screenResolution };
  }

  *#sale(customer: string, at: number, { country }: { readonly country: string | null }): Generator<SampleEvent> {
    const random = this.#random;
    const product = random.pick(products);
    const bought = { kind: "sale", customer, product: product.id, cents: product.cents } as const;
    const sale = { ...bought, currency: country === "US" ? "USD" : currency };
    if (product.isSubscription) {
      const id = `sub_${customer.slice(4)}`;
      yield { ...sale, at, transaction: this.#newOrder(), subscription: { id, isRenewal: false } };
      for (let months = 1; months <= maxRenewals && random.isTrue(0.8); months += 1) {
        // Invoices are created an hour before they are charged.
        const renewedAt = addMonthsUtc(at, months) + hourMs;
        yield { ...sale, at: renewedAt, transaction: this.#newOrder(), subscription: { id, isRenewal: true } };
      }
      return;
    }
    const transaction = this.#newOrder();
    yield { ...sale, at, transaction };
    if (random.isTrue(0.2)) yield this.#refund(transaction, at, product.cents);
  }

  #newOrder(): string {
    this.#orders += 1;
    return `order-${this.#orders}`;
  }

  #refund(transaction: string, soldAt: number, saleCents: number): SampleEvent {
    const random = this.#random;
    const at = soldAt + random.between(2 * dayMs, 12 * dayMs);
    const cents = random.isTrue(0.5) ? null : Math.round(saleCents * random.between(0.2, 0.6));
    const reason = random.pick(refundReasons).text;
    return { kind: "refund", at, transaction, refundId: `re_${transaction.slice(6)}`, cents, reason };
  }
}

const botVisit = (pageUrl: string): EventOf<"click">["visit"] => ({
  isBot: true,
  pageUrl,
  referrerUrl: null,
  country: "US",
  language: null,
  timezone: null,
  deviceType: "other",
  os: null,
  browser: null,
  screenResolution: null,
  viewportSize: null,
});
