import { halfUp } from "./book.ts";
import type { RefundAsked } from "./events.ts";

interface Reported {
  readonly refundId: string | null;
  readonly by: "amount" | "rest" | "total";
  /** The amount that the id currently has. 0 if it refunds the rest of the sale. */
  cents: number;
  readonly charge: number | null;
  isClosed: boolean;
  /** True if the id is known only from its cancellation. */
  isUnknown: boolean;
  /** The time of the newest running total. Only used for refunds that are reported by totals. */
  newestAt: number | null;
  /** The figures of the response to the first call about the refund. */
  first: Figures | null;
  refundedBefore: number;
}

export interface Figures {
  readonly refundedCents: number;
  readonly commissionReversedCents: number;
  readonly refundedTotalCents: number;
  readonly commissionAmountCents: number;
}

export type Judged =
  | { readonly kind: "refused"; readonly code: string }
  | { readonly kind: "skipped"; readonly reason: string; readonly figures: Figures | null }
  | { readonly kind: "counted"; readonly reported: Reported; readonly isCancel: boolean };

/** The refunds of one sale. */
export class RefundBook {
  readonly reported: Reported[];

  constructor(reported: Reported[] = []) {
    this.reported = reported;
  }

  /** Returns the refunded amount in the sale's unit. */
  refunded(saleCents: number): number {
    const charge = this.reported.find((each) => each.charge !== null)?.charge ?? null;
    const scaled = charge === null ? 0 : halfUp(saleCents, this.#sumOf(true, charge), charge);
    return Math.min(saleCents, this.#sumOf(false, saleCents) + scaled);
  }

  #sumOf(inCharge: boolean, rest: number): number {
    const own = this.reported.filter(({ isClosed, charge }) => !isClosed && (charge !== null) === inCharge);
    const named = own.filter(({ by, refundId }) => by !== "total" || refundId !== null);
    const sum = named.reduce((all, { by, cents }) => all + (by === "rest" ? rest : cents), 0);
    const whole = own.find(({ by, refundId }) => by === "total" && refundId === null)?.cents ?? 0;
    return Math.max(sum, whole);
  }

  /**
   * Returns what refunds by amount or by total have taken from the sale, in the order of their reports. Excludes
   * refunds of the rest, and refunds in the unit of a charge.
   */
  amounts(saleCents: number): number {
    const repeated = new RefundBook();
    let taken = 0;
    for (const each of this.reported.filter(({ isClosed }) => !isClosed)) {
      const before = repeated.refunded(saleCents);
      repeated.reported.push(each);
      if (each.by !== "rest" && each.charge === null) taken += repeated.refunded(saleCents) - before;
    }
    return taken;
  }

  /** Returns the same refunds for a correction of the sale, which has another amount. */
  repeatedOn(saleCents: number): RefundBook {
    const repeated = new RefundBook();
    for (const each of this.reported) {
      const refundedBefore = repeated.refunded(saleCents);
      const copied = { ...each, refundedBefore };
      repeated.reported.push(copied);
      const refundedTotalCents = repeated.refunded(saleCents);
      if (copied.first === null) continue;
      copied.first = { ...copied.first, refundedTotalCents, refundedCents: refundedTotalCents - refundedBefore };
    }
    return repeated;
  }

  judge(asked: RefundAsked, at: number | null, saleCents: number): Judged {
    const { refundId } = asked;
    const isOfSale = asked.asked === "total";
    const known = this.reported.find((each) =>
      refundId === null ? isOfSale && each.refundId === null && each.by === "total" : each.refundId === refundId,
    );
    if (asked.asked === "cancel") return this.#cancel(asked, known);
    if (known?.isClosed) return { kind: "skipped", reason: "canceled", figures: null };
    if (this.#differs(asked, known)) return { kind: "refused", code: "refund_conflict" };
    if (known !== undefined) return this.#again(asked, known, { at, saleCents });
    const left = saleCents - this.refunded(saleCents);
    const reported = newReported(asked, at);
    if (left === 0) {
      if (refundId !== null) this.reported.push(reported);
      return { kind: "skipped", reason: "already reversed", figures: null };
    }
    if (asked.asked === "amount" && asked.chargeTotalCents === null && (asked.cents ?? 0) > left) {
      return { kind: "refused", code: "refund_exceeds_sale" };
    }
    this.reported.push(reported);
    return { kind: "counted", reported, isCancel: false };
  }

  /**
   * True if the call contradicts earlier calls. A charge has one total, and the calls about an id contain it always or
   * never.
   */
  #differs({ chargeTotalCents }: RefundAsked, known: Reported | undefined): boolean {
    const charge = this.reported.find((each) => each.charge !== null)?.charge ?? null;
    if (charge !== null && chargeTotalCents !== null && charge !== chargeTotalCents) return true;
    return known !== undefined && !known.isUnknown && (known.charge === null) !== (chargeTotalCents === null);
  }

  #cancel(asked: RefundAsked, known: Reported | undefined): Judged {
    if (known?.isClosed) return { kind: "skipped", reason: "canceled", figures: null };
    const reported = known ?? newReported(asked, null);
    if (known === undefined) this.reported.push(reported);
    reported.isClosed = true;
    reported.isUnknown = known === undefined;
    return { kind: "counted", reported, isCancel: true };
  }

  #again(
    { asked, cents }: RefundAsked,
    known: Reported,
    { at, saleCents }: { readonly at: number | null; readonly saleCents: number },
  ): Judged {
    if (known.by !== asked) return { kind: "refused", code: "refund_conflict" };
    if (known.by !== "total") {
      if (known.by === "amount" && known.cents !== cents) return { kind: "refused", code: "refund_conflict" };
      return { kind: "skipped", reason: "duplicate refund_id", figures: known.first };
    }
    if ((cents ?? 0) <= known.cents) return { kind: "skipped", reason: "already refunded", figures: null };
    if (at !== null && known.newestAt !== null && at < known.newestAt) {
      return { kind: "skipped", reason: "older", figures: null };
    }
    const isCovered = this.refunded(saleCents) === saleCents;
    known.cents = cents ?? 0;
    known.newestAt = at === null ? known.newestAt : Math.max(at, known.newestAt ?? at);
    if (isCovered) return { kind: "skipped", reason: "already reversed", figures: null };
    return { kind: "counted", reported: known, isCancel: false };
  }
}

const newReported = ({ asked, cents, refundId, chargeTotalCents }: RefundAsked, at: number | null): Reported => ({
  ...{ refundId, by: asked === "total" || asked === "amount" ? asked : "rest", cents: cents ?? 0 },
  ...{ charge: chargeTotalCents, isClosed: false, isUnknown: false, newestAt: at, first: null, refundedBefore: 0 },
});

/** Recomputes the commissions in the figures of the refunds, for a sale that is decided again. */
export function replayFigures({ reported }: RefundBook, initial: number, saleCents: number): void {
  const left = (refunded: number) => halfUp(initial, saleCents - refunded, saleCents);
  for (const each of reported) {
    if (each.first === null) continue;
    const { refundedTotalCents } = each.first;
    const amount = left(refundedTotalCents);
    const commissionReversedCents = left(each.refundedBefore) - amount;
    each.first = { ...each.first, commissionReversedCents, commissionAmountCents: amount };
  }
}
