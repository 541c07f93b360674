/** What a customer's calls must come to, told from the contract alone, one call after the other. */

export interface Click {
  readonly code: string;
  /** Milliseconds, as all instants. */
  readonly at: number;
}

export type Command =
  | { readonly kind: "lead"; readonly click?: Click | undefined; readonly at: number }
  | {
      readonly kind: "sale";
      readonly transaction: string;
      readonly amountCents: number;
      readonly click?: Click | undefined;
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
  code: string | undefined;
  refundedCents: number;
  readonly refunds: Map<string, { asked: number | undefined; cents: number }>;
}

export interface Terms {
  readonly windowMs: number;
  readonly holdMs: number;
  /** By partner's code. */
  readonly rateBps: Readonly<Record<string, number>>;
}

const halfUp = (numerator: bigint, denominator: bigint) => (numerator * 2n + denominator) / (denominator * 2n);

export class CustomerModel {
  readonly #terms: Terms;
  readonly #shown = new Set<Click>();
  readonly #sales = new Map<string, Sale>();
  #credit: Click | undefined;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  /** What the call is told: whom it credits and with what, or its refusal's status. */
  take(command: Command): string {
    if (command.kind === "lead") return this.#lead(command);
    return command.kind === "sale" ? this.#sale(command) : this.#refund(command);
  }

  /** Each sale by its transaction: partner, refunded, commission left, commission's state. */
  sales(now: number): Record<string, readonly unknown[]> {
    const stateOf = ({ code, at, amountCents, refundedCents }: Sale) => {
      if (code === undefined) return "void";
      if (refundedCents === amountCents) return "reversed";
      return at + this.#terms.holdMs <= now ? "approved" : "pending";
    };
    return Object.fromEntries(
      [...this.#sales].map(([transaction, sale]) => [
        transaction,
        [sale.code ?? null, sale.refundedCents, this.#commission(sale), stateOf(sale)],
      ]),
    );
  }

  #lead({ click, at }: Sent<"lead">): string {
    if (click !== undefined) this.#show(click, at);
    return this.#credit?.code ?? "nobody";
  }

  #sale({ transaction, amountCents, click, at }: Sent<"sale">): string {
    if (this.#sales.has(transaction)) return "409";
    const sale: Sale = { amountCents, at, code: undefined, refundedCents: 0, refunds: new Map() };
    const firstAt = Math.min(at, ...this.#saleInstants());
    this.#sales.set(transaction, sale);
    if (click !== undefined && this.#credit === undefined) this.#show(click, at);
    else if (click !== undefined) this.#shown.add(click);
    if (this.#credit !== undefined && (this.#isLocked || this.#isWithin(this.#credit, firstAt)))
      sale.code = this.#credit.code;
    return `${sale.code ?? "nobody"} ${this.#commission(sale)}`;
  }

  #refund({ transaction, amountCents, refundId }: Sent<"refund">): string {
    const sale = this.#sales.get(transaction);
    if (sale === undefined) return "404";
    const earlier = refundId === undefined ? undefined : sale.refunds.get(refundId);
    if (earlier !== undefined)
      return amountCents === earlier.asked || amountCents === earlier.cents ? "skipped" : "409";
    const left = sale.amountCents - sale.refundedCents;
    if (left === 0) return "skipped";
    const cents = amountCents ?? left;
    if (cents > left) return "400";
    sale.refundedCents += cents;
    if (refundId !== undefined) sale.refunds.set(refundId, { asked: amountCents, cents });
    const status = sale.code === undefined ? "no_commission" : cents === left ? "reversed" : "refunded";
    return `${status} ${this.#commission(sale)}`;
  }

  /** The newest click before the event and the first sale, in the window of both, unless a sale has locked the customer. */
  #show(click: Click, at: number): void {
    this.#shown.add(click);
    if (this.#isLocked) return;
    const firstAt = Math.min(...this.#saleInstants());
    const until = Math.max(at, Number.isFinite(firstAt) ? firstAt : at);
    const good = [...this.#shown].filter((shown) => shown.at <= Math.min(at, firstAt) && this.#isWithin(shown, until));
    if (good.length === 0) return;
    const newest = good.reduce((best, shown) => (shown.at > best.at ? shown : best));
    // Told late, an event moves nobody back from a newer click that is still theirs to count.
    if (this.#credit !== undefined && newest.at < this.#credit.at && this.#credit.at <= firstAt) return;
    this.#credit = newest;
    for (const sale of this.#sales.values()) sale.code = this.#credit.code;
  }

  #commission({ code, amountCents, refundedCents }: Sale): number {
    const initial = halfUp(BigInt(amountCents) * BigInt(this.#terms.rateBps[code ?? ""] ?? 0), 10_000n);
    return Number(halfUp(initial * BigInt(amountCents - refundedCents), BigInt(amountCents)));
  }

  #isWithin = (click: Click, at: number) => click.at <= at && at - click.at <= this.#terms.windowMs;
  #saleInstants = () => [...this.#sales.values()].map(({ at }) => at);
  get #isLocked() {
    return [...this.#sales.values()].some(({ code }) => code !== undefined);
  }
}
