import { noTerms } from "#domain/commission.ts";
import type { Payer } from "#domain/payer.ts";
import type { PaymentDetails } from "#domain/payment-details.ts";
import type { Terms } from "./events.ts";

export const sampleName = "Sample shop";
export const currency = "EUR";
export const timezone = "Europe/Amsterdam";
export const windowDays = 30;

export const days = 90;
export const pausedOnDay = 74;
/** `levels` contains for each of the campaign's days the factor by which visits increase. */
export const campaign = {
  name: "field-week",
  partner: "trailhead",
  firstDay: 60,
  levels: [1.7, 2.6, 3.1, 2.8, 2.2, 2, 1.5],
};

const terms = { ...noTerms, type: "percent", scope: "recurring", holdDays: 15 } as const;

export const programTerms: readonly { readonly day: number; readonly terms: Terms }[] = [
  { day: 1, terms: { ...terms, rateBps: 1_000, durationMonths: 12 } },
  { day: 50, terms: { ...terms, rateBps: 1_200, durationMonths: 12 } },
];

interface SamplePartner {
  readonly name: string;
  readonly code: string;
  readonly site: string;
  readonly weight: number;
  readonly terms?: Terms;
  readonly details?: PaymentDetails;
}

/**
 * The fictional payer. Its IBAN is the example of the IBAN registry for the country, and so is the IBAN of the partner
 * `trailhead`.
 */
export const payer: Payer = { name: "Sample shop B.V.", iban: "NL91ABNA0417164300", bic: null };

const named = (holder: string) => ({ holder, country: null, taxId: null });

export const partners: readonly SamplePartner[] = [
  {
    name: "Trailhead Weekly",
    code: "trailhead",
    site: "https://trailhead-weekly.example",
    weight: 26,
    details: { ...named("Trailhead Weekly GmbH"), method: "bank", account: "DE89370400440532013000" },
  },
  {
    name: "Basecamp Digest",
    code: "basecamp",
    site: "https://basecamp-digest.example",
    weight: 20,
    terms: { ...terms, rateBps: 2_000, durationMonths: 2 },
    details: { ...named("Basecamp Digest"), method: "paypal", account: "pay@basecamp-digest.example" },
  },
  {
    name: "Polder Outdoor Guide",
    code: "polder",
    site: "https://polder-outdoor.example",
    weight: 16,
    details: { ...named("Polder Outdoor Guide"), method: "wise", account: "pay@polder-outdoor.example" },
  },
  {
    name: "Summit Gear Reviews",
    code: "summit",
    site: "https://summit-gear.example",
    weight: 13,
    details: { ...named("Summit Gear Reviews"), method: "other", account: "Store credit of customer 4711" },
    terms: { ...terms, type: "flat", amountCents: 800, currency, scope: "lifetime", minSaleCents: 2_500 },
  },
  {
    name: "Wander Index",
    code: "wander",
    site: "https://wander-index.example",
    weight: 10,
    terms: { ...terms, rateBps: 2_500, scope: "one_time" },
  },
  { name: "Canvas & Pine", code: "canvas", site: "https://canvas-and-pine.example", weight: 8 },
  { name: "Dune Deals", code: "dune", site: "https://dune-deals.example", weight: 7 },
];
export const pausedPartner = "dune";
/** The code of the partner who has a user account. */
export const joinedPartner = "trailhead";

export const products = [
  { id: "gear-club-monthly", path: "/gear-club", cents: 1_900, weight: 30, isSubscription: true },
  { id: "merino-base-layer", path: "/base-layers", cents: 6_900, weight: 24, isSubscription: false },
  { id: "trail-shoes", path: "/shoes", cents: 12_900, weight: 18, isSubscription: false },
  { id: "rain-jacket", path: "/jackets", cents: 17_900, weight: 12, isSubscription: false },
  { id: "two-person-tent", path: "/tents", cents: 28_900, weight: 8, isSubscription: false },
  { id: "titanium-mug", path: "/cooking", cents: 2_900, weight: 8, isSubscription: false },
] as const;

export const places = [
  { country: "NL", language: "nl-NL", timezone: "Europe/Amsterdam", weight: 44 },
  { country: "DE", language: "de-DE", timezone: "Europe/Berlin", weight: 18 },
  { country: "BE", language: "nl-BE", timezone: "Europe/Brussels", weight: 14 },
  { country: "US", language: "en-US", timezone: "America/New_York", weight: 11 },
  { country: "GB", language: "en-GB", timezone: "Europe/London", weight: 7 },
  { country: "FR", language: "fr-FR", timezone: "Europe/Paris", weight: 6 },
] as const;

export const devices = [
  { deviceType: "mobile", os: "iOS", browser: "Safari", screenResolution: "390x844", weight: 30 },
  { deviceType: "mobile", os: "Android", browser: "Chrome", screenResolution: "412x915", weight: 24 },
  { deviceType: "desktop", os: "Windows", browser: "Chrome", screenResolution: "1920x1080", weight: 18 },
  { deviceType: "desktop", os: "macOS", browser: "Safari", screenResolution: "1512x982", weight: 11 },
  { deviceType: "desktop", os: "Windows", browser: "Microsoft Edge", screenResolution: "1536x864", weight: 8 },
  { deviceType: "tablet", os: "iOS", browser: "Safari", screenResolution: "820x1180", weight: 5 },
  { deviceType: "desktop", os: "Linux", browser: "Firefox", screenResolution: "2560x1440", weight: 4 },
] as const;

export const refundReasons = [
  { text: "Wrong size", weight: 4 },
  { text: "Arrived damaged", weight: 2 },
  { text: "Changed their mind", weight: 3 },
] as const;
