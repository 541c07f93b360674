/**
 * This file models one customer. The model computes the expected result of each call from the documentation only, one
 * call at a time.
 */

export interface Click {
  readonly code: string;
  /** Milliseconds since the epoch, like all instants in this file. */
  readonly at: number;
}

export type Command =
  | { readonly kind: "lead"; readonly click?: Click | undefined; readonly at: number }
  | {
      readonly kind: "sale";
      readonly transaction: string;
      readonly amountCents: number;
      readonly click?: Click | undefined;
      /** The call sends `is_recurring` as "auto", so the service decides whether the sale is a renewal. */
      readonly subscription?: string | undefined;
      readonly at: number;
    }
  | {
      readonly kind: "refund";
      readonly transaction: string;
      readonly amountCents?: number | undefined;
      readonly refundId?: string | undefined;
    };
type Sent<Kind> = Command & { kind: Kind };

interface Sale {
  readonly amountCents: number;
  readonly at: number;
  readonly subscription: string | undefined;
  readonly isRenewal: boolean;
  code: string | undefined;
  refundedCents: number;
  /** The requested amounts by refund id. */
  readonly refunds: Map<string, number | undefined>;
}

export interface Terms {
  readonly windowMs: number;
  readonly windowUntil: "lead" | "first_sale";
  readonly holdMs: number;
  /** The rates by partner code. */
  readonly rateBps: Readonly<Record<string, number>>;
  readonly renewalRateBps: number;
}

const halfUp = (numerator: bigint, denominator: bigint) => (numerator * 2n + denominator) / (denominator * 2n);

export class CustomerModel {
  readonly #terms: Terms;
  readonly #shown = new Set<Click>();
  readonly #sales = new Map<string, Sale>();
  #credit: Click | undefined;
  /** The time of the lead that attributed the customer to the click (ms). */
  #boundAt: number | undefined;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  /**
   * Returns the expected response: the attributed partner, the amount and whether the sale is a renewal, or the
   * refusal's status.
   */
  take(command: Command): string {
    if (command.kind === "lead") return this.#lead(command);
    return command.kind === "sale" ? this.#sale(command) : this.#refund(command);
  }

  /**
   * Returns for each transaction id: partner, refunded amount, remaining commission, commission status, and whether the
   * sale is a renewal.
   */
  sales(now: number): Record<string, readonly unknown[]> {
    const stateOf = ({ code, at, amountCents, refundedCents }: Sale) => {
      if (code === undefined) return "void";
      if (refundedCents === amountCents) return "reversed";
      return at + this.#terms.holdMs <= now ? "approved" : "pending";
    };
    return Object.fromEntries(
      [...this.#sales].map(([transaction, sale]) => [
        transaction,
        [sale.code ?? null, sale.refundedCents, this.#commission(sale), stateOf(sale), Number(sale.isRenewal)],
      ]),
    );
  }

  #lead({ click, at }: Sent<"lead">): string {
    if (click !== undefined) this.#show(click, at, true);
    return this.#credit?.code ?? "nobody";
  }

  #sale({ transaction, amountCents, click, subscription, at }: Sent<"sale">): string {
    if (this.#sales.has(transaction)) return "409";
    const isRenewal = subscription !== undefined && this.#isPaidBefore(subscription, at);
    const sale: Sale = {
      ...{ amountCents, at, subscription, isRenewal },
      ...{ code: undefined, refundedCents: 0, refunds: new Map() },
    };
    const firstAt = Math.min(at, ...this.#saleInstants());
    this.#sales.set(transaction, sale);
    if (click !== undefined && this.#owing(firstAt) === undefined) this.#show(click, at, false);
    else if (click !== undefined) this.#shown.add(click);
    sale.code = this.#owing(firstAt)?.code;
    return `${sale.code ?? "nobody"} ${this.#commission(sale)} ${isRenewal}`;
  }

  #isPaidBefore(subscription: string, at: number): boolean {
    return [...this.#sales.values()].some((sale) => sale.subscription === subscription && sale.at <= at);
  }

  #refund({ transaction, amountCents, refundId }: Sent<"refund">): string {
    const sale = this.#sales.get(transaction);
    if (sale === undefined) return "404";
    if (refundId !== undefined && sale.refunds.has(refundId))
      return sale.refunds.get(refundId) === amountCents ? "skipped" : "409";
    const left = sale.amountCents - sale.refundedCents;
    const cents = amountCents ?? left;
    if (left > 0 && cents > left) return "400";
    if (refundId !== undefined) sale.refunds.set(refundId, amountCents);
    if (left === 0) return "skipped";
    sale.refundedCents += cents;
    const status = sale.code === undefined ? "no_commission" : cents === left ? "reversed" : "refunded";
    return `${status} ${this.#commission(sale)}`;
  }

  /**
   * Attributes the customer to the newest click before both the event and the first sale. The click's window must reach
   * the first sale, or a lead before it if the policy's window ends at the lead. An attributed sale locks the customer.
   */
  #show(click: Click, at: number, isLead: boolean): void {
    this.#shown.add(click);
    if (this.#isLocked) return;
    const firstAt = Math.min(...this.#saleInstants());
    const good = [...this.#shown].filter((shown) => {
      if (shown.at > Math.min(at, firstAt)) return false;
      if (!Number.isFinite(firstAt)) return this.#isWithin(shown, at);
      const isByLead = isLead && at <= firstAt && this.#terms.windowUntil === "lead";
      return this.#isWithin(shown, firstAt) || (isByLead && this.#isWithin(shown, at));
    });
    if (good.length === 0) return;
    const newest = good.reduce((best, shown) => (shown.at > best.at ? shown : best));
    // A late report never moves a customer back from a newer click that still counts.
    if (this.#credit !== undefined && newest.at < this.#credit.at && this.#credit.at <= firstAt) return;
    const boundBefore = this.#credit === newest ? this.#boundAt : undefined;
    this.#boundAt = isLead ? Math.min(at, boundBefore ?? at) : undefined;
    this.#credit = newest;
    for (const sale of this.#sales.values()) sale.code = this.#credit.code;
  }

  #commission({ code, amountCents, refundedCents, isRenewal }: Sale): number {
    const { rateBps, renewalRateBps } = this.#terms;
    const rate = code === undefined ? 0 : isRenewal ? renewalRateBps : (rateBps[code] ?? 0);
    const initial = halfUp(BigInt(amountCents) * BigInt(rate), 10_000n);
    return Number(halfUp(initial * BigInt(amountCents - refundedCents), BigInt(amountCents)));
  }

  /** The customer's click, if it attributes a sale. */
  #owing(firstAt: number): Click | undefined {
    const credit = this.#credit;
    if (credit === undefined || this.#isLocked) return credit;
    return credit.at <= firstAt && this.#isOwed(credit, firstAt) ? credit : undefined;
  }

  /** True if the click attributes the customer's sales, as decided at the first sale. */
  #isOwed(click: Click, firstAt: number): boolean {
    const isByLead = this.#boundAt !== undefined && this.#boundAt <= firstAt && this.#terms.windowUntil === "lead";
    return isByLead || this.#isWithin(click, firstAt);
  }

  #isWithin = (click: Click, at: number) => click.at <= at && at - click.at <= this.#terms.windowMs;
  #saleInstants = () => [...this.#sales.values()].map(({ at }) => at);
  get #isLocked() {
    return [...this.#sales.values()].some(({ code }) => code !== undefined);
  }
}
