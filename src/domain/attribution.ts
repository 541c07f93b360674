import { dayMs } from "./calendar.ts";

/** Why an event belongs to no partner. */
export type UnattributedReason =
  | "customer_not_found"
  | "no_click"
  | "invalid_click_id"
  | "existing_customer"
  | "attribution_window_expired";

export type AttributionModel = "last_click" | "first_click";

/** A click whose id is good and belongs to the same program and book. */
export interface Candidate {
  readonly clickId: string;
  /** The instant of the click, in milliseconds. */
  readonly at: number;
  readonly linkId: number;
  /** Who showed it: a call with the program's key, or a browser. */
  readonly evidence: "key" | "browser";
}

export interface AttributionTerms {
  readonly model: AttributionModel;
  readonly windowDays: number;
}

/** `clickAgeDays` are whole days, floored. */
export type Attribution =
  | { readonly attributed: true; readonly click: Candidate; readonly clickAgeDays: number }
  | { readonly attributed: false; readonly reason: "no_click" | "existing_customer" }
  | {
      readonly attributed: false;
      readonly reason: "attribution_window_expired";
      readonly clickAgeDays: number;
      readonly windowDays: number;
    };

/** How much later than an event a click may be and still count as before it: other people's clocks are wrong. */
export const clickToleranceMs = 5 * 60_000;

const isBefore = (clickAt: number, at: number): boolean => clickAt <= at + clickToleranceMs;
const isWithin = (clickAt: number, windowDays: number, at: number): boolean => at - clickAt <= windowDays * dayMs;
const ageDays = (clickAt: number, at: number): number => Math.max(0, Math.floor((at - clickAt) / dayMs));

const byAge = (a: Candidate, b: Candidate): number =>
  a.at - b.at || (a.clickId < b.clickId ? -1 : a.clickId > b.clickId ? 1 : 0);

/** The click that the model names; of several at one instant, the smaller id. */
function choose(candidates: readonly Candidate[], model: AttributionModel): Candidate | undefined {
  const [oldest, ...rest] = [...candidates].sort(byAge);
  if (oldest === undefined || model === "first_click") return oldest;
  return rest.reduce((newest, candidate) => (candidate.at > newest.at ? candidate : newest), oldest);
}

/**
 * Which click an event at `at` (ms) is owed to. Clicks shown with a key outrank those a browser showed. For a customer
 * who had bought before, `firstSaleAt` is their first sale: the click must come before it as well, and the window must
 * hold to the later of the two.
 */
export function attribute(
  candidates: readonly Candidate[],
  terms: AttributionTerms,
  at: number,
  firstSaleAt?: number | undefined,
): Attribution {
  const before = candidates.filter((candidate) => isBefore(candidate.at, at));
  const keyed = before.filter(({ evidence }) => evidence === "key");
  const counted = keyed.length > 0 ? keyed : before;
  if (counted.length === 0) return { attributed: false, reason: "no_click" };

  const beforeSale = counted.filter((candidate) => isBefore(candidate.at, firstSaleAt ?? at));
  const newest = choose(beforeSale, "last_click");
  if (newest === undefined) return { attributed: false, reason: "existing_customer" };

  const { model, windowDays } = terms;
  const until = Math.max(at, firstSaleAt ?? at);
  const click = choose(
    beforeSale.filter((candidate) => isWithin(candidate.at, windowDays, until)),
    model,
  );
  if (click !== undefined) return { attributed: true, click, clickAgeDays: ageDays(click.at, at) };
  return {
    attributed: false,
    reason: "attribution_window_expired",
    clickAgeDays: ageDays(newest.at, until),
    windowDays,
  };
}

export type SaleWindow =
  | { readonly ok: true; readonly clickAgeDays: number }
  | { readonly ok: false; readonly reason: "existing_customer" }
  | {
      readonly ok: false;
      readonly reason: "attribution_window_expired";
      readonly clickAgeDays: number;
      readonly windowDays: number;
    };

/**
 * Whether the sales of a customer whom a lead has attributed are owed to that click. Their first sale decides for all:
 * a window that had passed by then stays passed.
 */
export function saleWithinWindow(clickAt: number, windowDays: number, firstSaleAt: number): SaleWindow {
  if (!isBefore(clickAt, firstSaleAt)) return { ok: false, reason: "existing_customer" };
  const clickAgeDays = ageDays(clickAt, firstSaleAt);
  if (isWithin(clickAt, windowDays, firstSaleAt)) return { ok: true, clickAgeDays };
  return { ok: false, reason: "attribution_window_expired", clickAgeDays, windowDays };
}
