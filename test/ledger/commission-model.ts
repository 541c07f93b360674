import type { Accounts } from "./payout-shown.ts";

type Status = "pending" | "approved" | "reversed" | "rejected";

export interface Commission {
  partner: number;
  status: Status;
  isUnconfirmed: boolean;
  /** True if the hold has ended. A sale that a browser reported may still be unconfirmed. */
  readonly isDue: boolean;
  approvedBy: "time" | "person" | undefined;
  /** True if the commission is held for any reason. `isHeldByHand` is true if a person holds it. */
  isHeld: boolean;
  isHeldByHand: boolean;
  cents: number;
  number: number | undefined;
}

export interface Adjustment {
  readonly partner: number;
  readonly cents: number;
  readonly number: number;
}

export const saleCents = 1_000;
export const earnedCents = 200;

const halfUp = (amount: number): number => Math.floor(amount + 0.5);
export const sumOf = (items: readonly { readonly cents: number }[]): number =>
  items.reduce((sum, { cents }) => sum + cents, 0);

/** Models the commissions and adjustments of one program in one currency. `PayoutModel` adds payouts. */
export abstract class CommissionModel {
  readonly commissions: Commission[] = [];
  protected readonly adjustments: Adjustment[] = [];
  protected readonly accounts: readonly [Accounts, Accounts];
  /** The instant at which each number was assigned. Index and number ascend together. */
  protected readonly posted: number[] = [];
  readonly #isSuspicious: boolean;
  #at = 0;

  /** With `isSuspicious`, each sale raises a signal that holds it, whichever partner it is attributed to. */
  constructor(isSuspicious: boolean) {
    this.#isSuspicious = isSuspicious;
    const none = (): Accounts => ({ pending: 0, payable: 0, inPayout: 0, paid: 0 });
    this.accounts = [none(), none()];
  }

  set at(instant: number) {
    this.#at = instant;
  }

  /** The status that API responses contain. */
  protected abstract shownStatus(commission: Commission): string;
  /** True if a live payout line contains the commission. */
  protected abstract isHeldByLine(commission: Commission): boolean;

  protected next(): number {
    this.posted.push(this.#at);
    return this.posted.length;
  }

  protected of(partner: number): Accounts {
    const accounts = this.accounts[partner];
    if (accounts === undefined) throw new Error("a program has two partners");
    return accounts;
  }

  sell(partner: number, { isDue, isUnconfirmed }: { readonly isDue: boolean; readonly isUnconfirmed: boolean }): void {
    const isHeld = this.#isSuspicious;
    const isApproved = isDue && !isUnconfirmed && !isHeld;
    const number = isApproved ? this.next() : undefined;
    const status = isApproved ? "approved" : "pending";
    const approvedBy = isApproved ? "time" : undefined;
    this.commissions.push({
      ...{ partner, status, isUnconfirmed, isDue, approvedBy, isHeld, isHeldByHand: false },
      ...{ cents: earnedCents, number },
    });
    this.#post(partner, earnedCents, number);
  }

  #post(partner: number, cents: number, number: number | undefined): void {
    this.next();
    this.of(partner)[number === undefined ? "pending" : "payable"] += cents;
  }

  /**
   * Sends a lead with the API key and a click of the partner. If a browser reported the sale, the lead confirms it, or
   * moves it to this partner.
   */
  confirm(index: number, partner: number): void {
    const commission = this.commissions[index];
    if (commission === undefined || !commission.isUnconfirmed) return;
    if (commission.partner === partner) {
      commission.isUnconfirmed = false;
      if (commission.status === "pending" && this.#isPayable(commission)) this.#approve(commission, "time");
      return;
    }
    if (commission.status !== "pending" && commission.status !== "reversed") return;
    commission.isUnconfirmed = false;
    this.of(commission.partner).pending -= commission.cents;
    commission.partner = partner;
    this.of(partner).pending += commission.cents;
    commission.isHeld = commission.isHeldByHand || this.#isSuspicious;
    if (this.#isPayable(commission)) this.#approve(commission, "time");
  }

  #isPayable = ({ isDue, isUnconfirmed, isHeld, approvedBy }: Commission): boolean =>
    approvedBy !== undefined || (isDue && !isUnconfirmed && !isHeld);

  #approve(commission: Commission, by: "time" | "person"): void {
    const number = this.next();
    if (commission.number === undefined) {
      this.of(commission.partner).pending -= commission.cents;
      this.of(commission.partner).payable += commission.cents;
    }
    const { approvedBy = by } = commission;
    Object.assign(commission, { number, approvedBy, isUnconfirmed: false });
    if (commission.status === "pending") commission.status = "approved";
  }

  refund(index: number, refundedCents: number): void {
    const commission = this.commissions[index];
    if (commission === undefined || commission.status === "rejected") return;
    const left = halfUp((earnedCents * (saleCents - refundedCents)) / saleCents);
    if (left !== commission.cents) this.#post(commission.partner, left - commission.cents, commission.number);
    commission.cents = left;
    if (refundedCents === saleCents) {
      if (commission.status !== "reversed") this.next();
      commission.status = "reversed";
    } else if (commission.status === "reversed") {
      const isPayable = this.#isPayable(commission);
      commission.status = isPayable ? "approved" : "pending";
      if (isPayable && !this.isHeldByLine(commission)) this.#approve(commission, "time");
    }
  }

  hold(index: number): string {
    const commission = this.commissions[index];
    if (commission === undefined) return "not_found";
    if (commission.isHeldByHand) return "unchanged";
    if (commission.status !== "pending" && commission.status !== "approved") return "not_open";
    if (commission.approvedBy === "person") return "approved_by_person";
    if (this.isHeldByLine(commission)) return "reserved";
    if (commission.number !== undefined) {
      this.of(commission.partner).payable -= commission.cents;
      this.of(commission.partner).pending += commission.cents;
    }
    const held = { status: "pending", approvedBy: undefined, number: undefined };
    Object.assign(commission, { ...held, isHeld: true, isHeldByHand: true });
    return "held";
  }

  release(index: number): string {
    const commission = this.commissions[index];
    if (commission === undefined) return "not_found";
    if (!commission.isHeld) return "unchanged";
    this.#endHolds(commission);
    if (commission.status === "pending" && this.#isPayable(commission)) this.#approve(commission, "time");
    return "released";
  }

  #endHolds(commission: Commission): void {
    Object.assign(commission, { isHeld: false, isHeldByHand: false });
  }

  decide(index: number, decision: "approved" | "rejected"): string {
    const commission = this.commissions[index];
    if (commission === undefined) return "ok";
    const shown = this.shownStatus(commission);
    if (shown === decision) return "ok";
    if (commission.status === "pending" && decision === "approved") {
      this.#endHolds(commission);
      this.#approve(commission, "person");
      return "ok";
    }
    const isFree = !this.isHeldByLine(commission);
    const isOpen = commission.status === "pending" || (commission.status === "approved" && isFree);
    if (decision === "approved" || !isOpen) return "commission_closed";
    if (commission.cents > 0) this.#post(commission.partner, -commission.cents, commission.number);
    this.#endHolds(commission);
    Object.assign(commission, { status: "rejected", cents: 0 });
    return "ok";
  }

  adjust(partner: number, cents: number): void {
    this.adjustments.push({ partner, cents, number: this.next() });
    this.of(partner).payable += cents;
  }
}
