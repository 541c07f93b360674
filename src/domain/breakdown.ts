import type { Days } from "./performance.ts";

export const groupings = [
  "partner",
  "code",
  "sub",
  "source",
  "country",
  "device",
  "referrer_host",
  "landing_path",
  "campaign",
  "coupon",
  "month",
  "day",
] as const;
export type Grouping = (typeof groupings)[number];

/** Groupings whose values can be used as filters. Months and days are filtered by the period instead. */
export const filterings = groupings.filter((grouping) => grouping !== "month" && grouping !== "day");
export type Filtering = Exclude<Grouping, "month" | "day">;

/** Filter values, in the form that the groups have. */
export type Filters = { readonly [Name in Filtering]?: string | undefined };

/**
 * Names of special groups: `none` for events without a value, `unknown` for events whose value was removed, `other` for
 * values that don't fit into the reply.
 */
export const withoutValue = "none";
export const removedValue = "unknown";
const furtherValues = "other";

const alwaysHeld: readonly string[] = [withoutValue, removedValue];

export const maxGroups = 1_000;
/** The most values that are counted separately. Values found after that are counted as `other`. */
const maxHeld = 20_000;

/** The longest period, in days, of a breakdown that reads every event because daily counts don't contain its values. */
export const maxBreakdownDays = 92;

export interface GroupFigures {
  readonly clicks: bigint;
  /** Undefined if visitors aren't counted. */
  readonly uniqueClicks: bigint | undefined;
  readonly leads: bigint;
  readonly sales: bigint;
  readonly refunds: bigint;
  readonly revenueCents: bigint;
  readonly refundedCents: bigint;
  readonly commissionCents: bigint;
}

/** Counts cover all currencies, amounts one currency. */
export interface CountedEvents {
  readonly value: string;
  /** True for the requested period, false for the period before it. */
  readonly isNow: boolean;
  readonly figures: Partial<Readonly<Record<keyof GroupFigures, bigint>>>;
}

export interface Group {
  readonly group: string;
  readonly now: GroupFigures;
  readonly before: GroupFigures;
}

const noFigures: GroupFigures = {
  clicks: 0n,
  uniqueClicks: undefined,
  leads: 0n,
  sales: 0n,
  refunds: 0n,
  revenueCents: 0n,
  refundedCents: 0n,
  commissionCents: 0n,
};

function plus(a: GroupFigures, b: Added): GroupFigures {
  return {
    clicks: a.clicks + (b.clicks ?? 0n),
    uniqueClicks: b.uniqueClicks === undefined ? a.uniqueClicks : (a.uniqueClicks ?? 0n) + b.uniqueClicks,
    leads: a.leads + (b.leads ?? 0n),
    sales: a.sales + (b.sales ?? 0n),
    refunds: a.refunds + (b.refunds ?? 0n),
    revenueCents: a.revenueCents + (b.revenueCents ?? 0n),
    refundedCents: a.refundedCents + (b.refundedCents ?? 0n),
    commissionCents: a.commissionCents + (b.commissionCents ?? 0n),
  };
}

type Windows = Omit<Group, "group">;

const nothing: Windows = { now: noFigures, before: noFigures };

type Added = { readonly [Name in keyof GroupFigures]?: bigint | undefined };

const joined = (a: Windows, b: { readonly now: Added; readonly before: Added }): Windows => ({
  now: plus(a.now, b.now),
  before: plus(a.before, b.before),
});

const isEmpty = ({ now, before }: Windows): boolean =>
  [...Object.values(now), ...Object.values(before)].every((figure) => figure === undefined || figure === 0n);

const falling = (a: bigint, b: bigint): number => (a > b ? -1 : a < b ? 1 : 0);

const byMoney = (a: Group, b: Group): number =>
  falling(a.now.revenueCents, b.now.revenueCents) ||
  falling(a.now.commissionCents, b.now.commissionCents) ||
  falling(a.now.sales, b.now.sales) ||
  falling(a.now.clicks, b.now.clicks) ||
  falling(a.before.revenueCents, b.before.revenueCents) ||
  (a.group < b.group ? -1 : 1);

const byTime = (a: Group, b: Group): number => (a.group < b.group ? -1 : 1);

/**
 * Sums up a period's events by one of their values. Each event is in exactly one group, so the groups add up to the
 * total.
 */
export class Breakdown {
  readonly #groupBy: Grouping;
  readonly #held = new Map<string, Windows>();

  constructor(groupBy: Grouping) {
    this.#groupBy = groupBy;
  }

  add(counted: readonly CountedEvents[]): void {
    for (const { value, isNow, figures } of counted) {
      const isHeld = this.#held.size < maxHeld || this.#held.has(value) || alwaysHeld.includes(value);
      const key = isHeld ? value : furtherValues;
      const more = isNow ? { now: figures, before: {} } : { now: {}, before: figures };
      this.#held.set(key, joined(this.#held.get(key) ?? nothing, more));
    }
  }

  /**
   * Returns the groups, by descending revenue or in order of time. If there are too many, the last group is the sum of
   * those left out.
   */
  groups(): { readonly groups: readonly Group[]; readonly totals: Windows } {
    const isTime = this.#groupBy === "month" || this.#groupBy === "day";
    const all = [...this.#held].map(([group, windows]) => ({ group, ...windows })).filter((each) => !isEmpty(each));
    const sorted = all.filter(({ group }) => group !== furtherValues).sort(isTime ? byTime : byMoney);
    const further = all.filter(({ group }) => group === furtherValues);
    const left = sorted.length + further.length > maxGroups ? maxGroups - 1 : sorted.length;
    const rest = [...sorted.slice(left), ...further];
    const groups = sorted.slice(0, left);
    if (rest.length > 0) groups.push({ group: furtherValues, ...summed(rest) });
    return { groups, totals: summed(groups) };
  }
}

const summed = (groups: readonly Windows[]): Windows => groups.reduce((sum, each) => joined(sum, each), nothing);

const areDaily: readonly Grouping[] = ["partner", "month", "day"];

/**
 * True if the stored daily counts are enough. They exist for each partner only, so other groupings and filters need the
 * events.
 */
export const isCountedDaily = (groupBy: Grouping, filters: Filters): boolean =>
  areDaily.includes(groupBy) &&
  filterings.every((name) => name === "partner" || filters[name as Filtering] === undefined);

export interface BreakdownQuery {
  readonly groupBy: Grouping;
  readonly filters: Filters;
  readonly days: Days;
  /** The period before, for comparison. */
  readonly previous: Days | undefined;
  readonly currency: string;
}

/** A campaign in the encoded form in which stored URLs contain it. */
export const encodedCampaign = (campaign: string): string => new URLSearchParams({ "": campaign }).toString().slice(1);

export const decodedCampaign = (text: string): string => new URLSearchParams(`=${text}`).get("") ?? text;
