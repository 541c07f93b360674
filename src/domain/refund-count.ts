import { shareOf } from "./money.ts";
import type { RefundRequest } from "./refund-status.ts";

/** An accepted refund call as sent. Calls with the same `refundId` are about the same refund. */
export interface RefundCall {
  readonly refundId: string | undefined;
  readonly asked: RefundRequest;
  /**
   * Set for `amount`, `total` and `cancel_total`. In the charge's currency unit if the call has `chargeTotalCents`,
   * otherwise in the sale's.
   */
  readonly cents: number | undefined;
  /** The amount paid for the whole sale, in the currency unit of the refunds. */
  readonly chargeTotalCents: number | undefined;
  /** Undefined if the call sent no instant. */
  readonly occurredAt: number | undefined;
  readonly receivedAt: number;
}

interface Sums {
  /** Sums of refunds in the sale's unit and in the charge's unit. */
  readonly sale: number;
  readonly charge: number;
  readonly saleTotals: number;
  readonly refundedCents: number;
}

/** The refund calls of a sale, in the order in which they were recorded, with their sums. */
export interface CountedRefunds {
  readonly saleCents: number;
  readonly calls: readonly RefundCall[];
  /** The number of cents by which each call raises the refunded amount. Their sum never exceeds the sale. */
  readonly parts: readonly number[];
  readonly chargeCents: number | undefined;
  readonly sums: Sums;
}

export const isTotal = ({ asked }: RefundCall): boolean => asked === "total" || asked === "cancel_total";

/**
 * True for a running total of all refunds of the sale, which has no refund id. Only what exceeds the sum of the other
 * refunds is added.
 */
export const isSaleTotal = ({ asked, refundId }: RefundCall): boolean => asked === "total" && refundId === undefined;

/**
 * The instant (ms) to which the running total of a call refers. A cancellation without an instant refers to its
 * receipt.
 */
export const instantOf = ({ asked, occurredAt, receivedAt }: RefundCall): number =>
  occurredAt ?? (asked === "cancel_total" ? receivedAt : Number.NEGATIVE_INFINITY);

/**
 * Computes how much each call adds. Refunds in the charge's unit are converted by their share of the charge. Canceled
 * refunds add nothing.
 */
export function countRefunds(saleCents: number, calls: readonly RefundCall[]): CountedRefunds {
  const counted = countedInOwnUnit(saleCents, calls);
  const chargeCents = calls.find(({ chargeTotalCents }) => chargeTotalCents !== undefined)?.chargeTotalCents;
  let sums: Sums = { sale: 0, charge: 0, saleTotals: 0, refundedCents: 0 };
  const parts = calls.map((call) => {
    const before = sums.refundedCents;
    sums = sumsWith(sums, call, counted.get(call) ?? 0, { saleCents, chargeCents });
    return sums.refundedCents - before;
  });
  return { saleCents, calls, parts, chargeCents, sums };
}

/** Adds a call. All calls are computed again only if the new call changes what an earlier call adds. */
export function withRefund(before: CountedRefunds, call: RefundCall): CountedRefunds {
  const { saleCents, calls } = before;
  const known = call.refundId === undefined ? [] : calls.filter(({ refundId }) => refundId === call.refundId);
  const was = countedInOwnUnit(saleCents, known);
  const now = countedInOwnUnit(saleCents, [...known, call]);
  if (known.some((other) => was.get(other) !== now.get(other))) return countRefunds(saleCents, [...calls, call]);
  const chargeCents = before.chargeCents ?? call.chargeTotalCents;
  const sums = sumsWith(before.sums, call, now.get(call) ?? 0, { saleCents, chargeCents });
  const part = sums.refundedCents - before.sums.refundedCents;
  return { saleCents, calls: [...calls, call], parts: [...before.parts, part], chargeCents, sums };
}

function sumsWith(
  { sale, charge, saleTotals }: Sums,
  call: RefundCall,
  cents: number,
  { saleCents, chargeCents }: Pick<CountedRefunds, "saleCents" | "chargeCents">,
): Sums {
  const isInCharge = call.chargeTotalCents !== undefined && call.asked !== "rest";
  const inSale = (ofCharge: number) =>
    chargeCents === undefined ? ofCharge : shareOf(saleCents, ofCharge, chargeCents);
  const isOfSale = isSaleTotal(call);
  const after = {
    sale: isOfSale || isInCharge ? sale : sale + cents,
    charge: isInCharge && !isOfSale ? charge + cents : charge,
    saleTotals: isOfSale ? Math.max(saleTotals, isInCharge ? inSale(cents) : cents) : saleTotals,
  };
  const refundedCents = Math.min(saleCents, Math.max(after.sale + inSale(after.charge), after.saleTotals));
  return { ...after, refundedCents };
}

function countedInOwnUnit(saleCents: number, calls: readonly RefundCall[]): ReadonlyMap<RefundCall, number> {
  const counted = new Map(calls.map((call) => [call, call.asked === "rest" ? saleCents : (call.cents ?? 0)]));
  const identified = calls.filter(({ refundId }) => refundId !== undefined);
  for (const ofRefund of Map.groupBy(identified, ({ refundId }) => refundId).values()) {
    const isClosed = ofRefund.some(({ asked }) => asked === "cancel");
    const parts = isClosed ? ofRefund.map((call) => [call, 0] as const) : totalsAdded(ofRefund);
    for (const [call, cents] of parts) counted.set(call, cents);
  }
  return counted;
}

/**
 * The amount that each call adds to the running total of its refund. The total never falls, except that a cancellation
 * sets it.
 */
function totalsAdded(known: readonly RefundCall[]): ReadonlyMap<RefundCall, number> {
  const totals = chronological(known.filter(isTotal));
  let running = 0;
  const runs = totals.map(({ asked, cents = 0 }) => {
    running = asked === "cancel_total" ? cents : Math.max(running, cents);
    return running;
  });
  // A later cancellation takes from the newest calls first. So the total that is left after a call is the lowest
  // running total from that call on.
  let least = Number.POSITIVE_INFINITY;
  const kept = runs.map(() => 0);
  for (let i = runs.length - 1; i >= 0; i -= 1) {
    least = Math.min(least, runs[i] ?? 0);
    kept[i] = least;
  }
  return new Map(totals.map((call, i) => [call, (kept[i] ?? 0) - (kept[i - 1] ?? 0)]));
}

export const countedTotal = (known: readonly RefundCall[]): number =>
  [...totalsAdded(known).values()].reduce((all, cents) => all + cents, 0);

/**
 * Sorts the calls by instant. A total without an instant comes after all calls that were recorded before it. At the
 * same instant, cancellations come after totals, and the lowest cancellation comes last.
 */
function chronological(totals: readonly RefundCall[]): readonly RefundCall[] {
  let newest = Number.NEGATIVE_INFINITY;
  const placed = totals.map((call) => {
    newest = Math.max(newest, instantOf(call));
    if (call.asked === "cancel_total") return { call, at: instantOf(call), rank: 1, lowered: -(call.cents ?? 0) };
    const isUndated = call.occurredAt === undefined;
    return { call, at: isUndated ? newest : instantOf(call), rank: isUndated ? 2 : 0, lowered: 0 };
  });
  return placed
    .sort((a, b) => (a.at === b.at ? a.rank - b.rank || a.lowered - b.lowered : a.at < b.at ? -1 : 1))
    .map(({ call }) => call);
}
