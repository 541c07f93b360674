import { clockToleranceMs, dayMs } from "./calendar.ts";
import type { BindingEvent } from "./evidence.ts";
import type { LinkId } from "./ids.ts";
import type { AttributionModel, WindowUntil } from "./program-terms.ts";

/**
 * Kinds of evidence for an attribution. All kinds except a click name the partner directly, and apply to sales from a
 * stored instant on.
 */
export const attributionSources = ["click", "coupon", "import", "person"] as const;
export type AttributionSource = (typeof attributionSources)[number];
export type DirectSource = Exclude<AttributionSource, "click">;

export const isDirect = (source: string | null): source is DirectSource => source !== null && source !== "click";

/** True if the attribution can't be changed by clicks or sales: an import or a member decided it. */
export const isFinalAtOnce = (source: AttributionSource | null): boolean => source === "import" || source === "person";

export const unattributedReasons = [
  "customer_not_found",
  "no_click",
  "invalid_click_id",
  "existing_customer",
  "attribution_window_expired",
] as const;
export type UnattributedReason = (typeof unattributedReasons)[number];

export interface Candidate {
  readonly clickId: string;
  readonly at: number;
  readonly linkId: LinkId;
}

export interface AttributionTerms {
  readonly model: AttributionModel;
  readonly windowDays: number;
  readonly windowUntil: WindowUntil;
}

export interface Binding {
  readonly by: BindingEvent;
  readonly at: number;
  /** When the customer's first sale happened (ms), counting the current sale. Undefined if there is no sale yet. */
  readonly firstSaleAt: number | undefined;
}

/**
 * `clickAgeDays` is in whole days, rounded down. `click` is the click that the model chose. If the model could choose
 * none, it is the newest click.
 */
export type Attribution =
  | { readonly attributed: true; readonly click: Candidate; readonly clickAgeDays: number }
  | { readonly attributed: false; readonly reason: "no_click" }
  | { readonly attributed: false; readonly reason: "existing_customer"; readonly click: Candidate }
  | {
      readonly attributed: false;
      readonly reason: "attribution_window_expired";
      readonly click: Candidate;
      readonly clickAgeDays: number;
      readonly windowDays: number;
    };

const isBefore = (clickAt: number, at: number): boolean => clickAt <= at + clockToleranceMs;
export const isWithin = (clickAt: number, windowDays: number, at: number): boolean =>
  at - clickAt <= windowDays * dayMs;
const ageDays = (clickAt: number, at: number): number => Math.max(0, Math.floor((at - clickAt) / dayMs));

const byAge = (a: Candidate, b: Candidate): number =>
  a.at - b.at || (a.clickId < b.clickId ? -1 : a.clickId > b.clickId ? 1 : 0);

/** Chooses by the attribution model. Of several clicks at the same instant, the smallest id is chosen. */
function choose(candidates: readonly Candidate[], model: AttributionModel): Candidate | undefined {
  const [oldest, ...rest] = [...candidates].sort(byAge);
  if (oldest === undefined || model === "first_click") return oldest;
  return rest.reduce((newest, candidate) => (candidate.at > newest.at ? candidate : newest), oldest);
}

/**
 * The instant that must be within the attribution window. It is the lead's if the lead is no later than the first sale,
 * unless the program requires the first sale within the window too. Otherwise it is the first sale's.
 */
function decidingInstant({ by, at, firstSaleAt }: Binding, windowUntil: WindowUntil): number {
  if (firstSaleAt === undefined) return at;
  return by === "lead" && windowUntil === "lead" && at <= firstSaleAt ? at : firstSaleAt;
}

export function attribute(candidates: readonly Candidate[], terms: AttributionTerms, binding: Binding): Attribution {
  const { at, firstSaleAt } = binding;
  const before = candidates.filter((click) => isBefore(click.at, at));
  const newestBefore = choose(before, "last_click");
  if (newestBefore === undefined) return { attributed: false, reason: "no_click" };

  const beforeSale = before.filter((click) => isBefore(click.at, firstSaleAt ?? at));
  const newest = choose(beforeSale, "last_click");
  if (newest === undefined) return { attributed: false, reason: "existing_customer", click: newestBefore };

  const { model, windowDays, windowUntil } = terms;
  const expired = (click: Candidate, instant: number): Attribution => {
    const clickAgeDays = ageDays(click.at, instant);
    return { attributed: false, reason: "attribution_window_expired", click, clickAgeDays, windowDays };
  };
  // The model chooses the click as if there were no sale. If the program's window must also cover the first sale, the
  // chosen click must be recent enough for that sale too.
  const choosing = decidingInstant(binding, "lead");
  const click = choose(
    beforeSale.filter((candidate) => isWithin(candidate.at, windowDays, choosing)),
    model,
  );
  if (click === undefined) return expired(newest, choosing);
  const deciding = decidingInstant(binding, windowUntil);
  if (!isWithin(click.at, windowDays, deciding)) return expired(click, deciding);
  return { attributed: true, click, clickAgeDays: ageDays(click.at, at) };
}

export const clickOutcomes = [
  "chosen",
  "older",
  "newer",
  "outside_window",
  "after_the_event",
  "other_link_paused",
  "invalid",
  "unconfirmed",
] as const;
export type ClickOutcome = (typeof clickOutcomes)[number];

export interface ClickVerdict {
  readonly outcome: ClickOutcome;
  readonly ageDays?: number;
  readonly windowDays?: number;
}

/**
 * A click that a call sent, or that decided the call, with the verdict on it. An invalid click has no instant and no
 * partner.
 */
export interface JudgedClick extends ClickVerdict {
  readonly clickId: string;
  readonly at: number | null;
  readonly partnerCode: string | null;
}

const clickAge = (clickAt: number, at: number, windowDays: number): Required<Omit<ClickVerdict, "outcome">> => ({
  ageDays: ageDays(clickAt, at),
  windowDays,
});

/** The verdict on one of the candidates that `attribute` decided about. */
export function judgeClick(
  { clickId, at: clickAt }: Candidate,
  decided: Attribution,
  { windowDays, windowUntil }: AttributionTerms,
  binding: Binding,
): ClickVerdict {
  const { at, firstSaleAt } = binding;
  const taken = "click" in decided ? decided.click : undefined;
  const isTaken = taken?.clickId === clickId;
  if (decided.attributed && isTaken) return { outcome: "chosen", ...clickAge(clickAt, at, windowDays) };
  if (!isBefore(clickAt, Math.min(at, firstSaleAt ?? at))) return { outcome: "after_the_event" };
  const choosing = decidingInstant(binding, "lead");
  if (taken !== undefined && !isTaken && isWithin(clickAt, windowDays, choosing)) {
    return { outcome: besides(clickAt, taken.at), ...clickAge(clickAt, at, windowDays) };
  }
  const deciding = isTaken ? decidingInstant(binding, windowUntil) : choosing;
  return { outcome: "outside_window", ...clickAge(clickAt, deciding, windowDays) };
}

/** The verdict on a click that wasn't chosen. */
const besides = (clickAt: number, takenAt: number): "older" | "newer" => (clickAt > takenAt ? "newer" : "older");

/**
 * The verdict on a click that was sent after another click had attributed the customer. `after_the_event` if the click
 * would have been chosen had it been sent in time.
 */
export function besidesDecided(clickAt: number, takenAt: number, model: AttributionModel): ClickOutcome {
  const outcome = besides(clickAt, takenAt);
  const isBeatenByModel = outcome === (model === "last_click" ? "older" : "newer");
  return isBeatenByModel ? outcome : "after_the_event";
}

export interface FrozenBinding {
  readonly clickAt: number;
  readonly windowDays: number;
  readonly windowUntil: WindowUntil;
  readonly boundAt: number;
  readonly boundBy: BindingEvent;
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

export function saleWithinWindow(bond: FrozenBinding, firstSaleAt: number): SaleWindow {
  const { clickAt, windowDays, windowUntil, boundAt, boundBy } = bond;
  if (!isBefore(clickAt, firstSaleAt)) return { ok: false, reason: "existing_customer" };
  const deciding = decidingInstant({ by: boundBy, at: boundAt, firstSaleAt }, windowUntil);
  const clickAgeDays = ageDays(clickAt, deciding);
  if (isWithin(clickAt, windowDays, deciding)) return { ok: true, clickAgeDays };
  return { ok: false, reason: "attribution_window_expired", clickAgeDays, windowDays };
}
