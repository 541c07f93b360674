/**
 * This file models one customer whom browsers and backends report. The model computes the expected state from the
 * documentation only, one call at a time.
 */

/**
 * A click of the one customer. A `good` click is within the window of every event. Any other click is outside the
 * window of every event.
 */
export interface Click {
  readonly partner: number;
  readonly isGood: boolean;
  /** A higher rank is a newer click. */
  readonly rank: number;
}

/** `gift` is a gift card, which a rule excludes. `mixed` is half a gift card and half a book. `plain` is neither. */
export type Sold = "plain" | "gift" | "mixed";

export type Command =
  | { readonly kind: "browser lead"; readonly click: Click }
  | { readonly kind: "keyed lead"; readonly clicks: readonly Click[] }
  | {
      readonly kind: "sale";
      readonly clicks: readonly Click[];
      readonly amountCents: number;
      readonly sold: Sold;
      readonly isHoldOver: boolean;
      readonly isRecurring: boolean;
    }
  | { readonly kind: "refund"; readonly sale: number; readonly id: string; readonly amountCents: number | undefined }
  | { readonly kind: "cancel"; readonly sale: number; readonly id: string }
  | { readonly kind: "approve"; readonly sale: number }
  | { readonly kind: "reject"; readonly sale: number };

type Status = "pending" | "approved" | "reversed" | "rejected" | "void";

interface Sale {
  readonly amountCents: number;
  readonly sold: Sold;
  readonly isHoldOver: boolean;
  readonly isRecurring: boolean;
  partner: number | undefined;
  isUnconfirmed: boolean;
  status: Status;
  initialCents: number;
  isApprovedByPerson: boolean;
  /**
   * True if the commission is held. It isn't approved when its hold period ends, so a refund makes its `one_time`
   * commission available to another sale.
   */
  isHeld: boolean;
  /** The requested amounts by refund id. Undefined if the whole rest was requested, null if the refund is closed. */
  readonly refunds: Map<string, number | undefined | null>;
}

/**
 * `rates` has each partner's rate, undefined for a partner without a policy. `ruled` is the partner whose policy has
 * rules.
 */
export interface Terms {
  readonly rates: readonly (number | undefined)[];
  readonly ruled: number;
  readonly bookRate: number;
  /** The rate of the first sale that earns a commission. */
  readonly firstRate: number;
  readonly isOneTime: boolean;
  readonly isFirstClick: boolean;
}

/** The amount of the gift card in a mixed sale. */
export const giftCents = (amountCents: number): number => Math.floor(amountCents / 2);

const halfUp = (numerator: bigint, denominator: bigint) => (numerator * 2n + denominator) / (denominator * 2n);

export class EvidenceModel {
  readonly #terms: Terms;
  readonly #keyed = new Set<Click>();
  readonly sales: Sale[] = [];
  #isKnown = false;
  #click: Click | undefined;
  #isConfirmed = false;
  /** The one sale that a `one_time` policy pays. */
  #one: Sale | undefined;
  /** The partners that a keyed call or a person has confirmed. */
  readonly vouchedFor = new Set<number>();

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  take(command: Command): void {
    switch (command.kind) {
      case "browser lead":
        if (this.#isKnown || !command.click.isGood) return;
        this.#isKnown = true;
        this.#click = command.click;
        return;
      case "keyed lead":
        this.#isKnown = true;
        this.#show(command.clicks, false);
        return;
      case "sale":
        this.#isKnown = true;
        this.#sell(command);
        return;
      case "refund":
      case "cancel":
        this.#refund(command);
        return;
      case "approve":
      case "reject":
        this.#decide(command);
    }
  }

  /** The sales as the database stores them: partner, status, unconfirmed, remaining amount. */
  rows(): unknown[] {
    return this.sales.map((sale) => {
      const status = sale.isHeld && sale.status === "approved" ? "pending" : sale.status;
      return [sale.partner ?? null, status, sale.isUnconfirmed, this.#left(sale)];
    });
  }

  #show(clicks: readonly Click[], isSale: boolean): void {
    for (const click of clicks) {
      this.#keyed.add(click);
      this.vouchedFor.add(click.partner);
    }
    const isUnconfirmed = this.#click !== undefined && !this.#isConfirmed;
    const isLocked = this.#isConfirmed && this.sales.some(({ partner }) => partner === this.#click?.partner);
    if (clicks.length === 0 || isLocked) return;
    if (isSale && this.#click !== undefined && !isUnconfirmed) return;
    const good = [...this.#keyed].filter(({ isGood }) => isGood);
    if (good.length === 0) return;
    const click = good.reduce((best, other) => (other.rank > best.rank !== this.#terms.isFirstClick ? other : best));
    const isSamePartner = isUnconfirmed && click.partner === this.#click?.partner;
    this.#click = click;
    this.#isConfirmed = true;
    if (!isSamePartner)
      this.#one = this.sales.find((sale) => sale.partner === click.partner && sale.status === "rejected");
    this.#confirm();
    for (const sale of this.#inTime()) if (this.#follows(sale)) this.#credit(sale);
  }

  /** Sales past their hold happened before the others. */
  #inTime = () => [...this.sales].sort((a, b) => Number(b.isHoldOver) - Number(a.isHoldOver));

  #follows = ({ partner, isUnconfirmed, status }: Sale): boolean =>
    partner !== this.#click?.partner &&
    (partner === undefined || (isUnconfirmed && ["pending", "void", "reversed"].includes(status)));

  #confirm(): void {
    this.#isConfirmed = true;
    for (const sale of this.sales) {
      if (!sale.isUnconfirmed || sale.partner !== this.#click?.partner) continue;
      sale.isUnconfirmed = false;
      if (sale.status === "pending" && sale.isHoldOver) sale.status = "approved";
    }
  }

  #credit(sale: Sale): void {
    const { partner } = this.#click ?? {};
    sale.partner = partner;
    sale.isUnconfirmed = partner !== undefined && !this.#isConfirmed;
    sale.isApprovedByPerson = false;
    const rate = partner === undefined ? undefined : this.#terms.rates[partner];
    const isCovered = !this.#terms.isOneTime || (!sale.isRecurring && this.#one === undefined);
    const earned = rate === undefined || !isCovered ? undefined : this.#earned(sale, rate);
    sale.initialCents = earned ?? 0;
    if (earned === undefined) sale.status = "void";
    else if (this.#refunded(sale) === sale.amountCents) sale.status = "reversed";
    else {
      sale.status = sale.isHoldOver && !sale.isUnconfirmed ? "approved" : "pending";
      this.#one ??= sale;
    }
  }

  /** Returns undefined if a rule excludes the sale. */
  #earned({ amountCents, sold, partner }: Sale, rate: number): number | undefined {
    const share = (cents: number, percent: number) => Number(halfUp(BigInt(cents * percent), 100n));
    const { ruled, bookRate, firstRate } = this.#terms;
    if (partner !== ruled) return share(amountCents, rate);
    if (sold === "gift") return undefined;
    if (sold === "mixed") return share(amountCents - giftCents(amountCents), bookRate);
    return share(amountCents, this.#one === undefined ? firstRate : rate);
  }

  #sell({ clicks, amountCents, sold, isHoldOver, isRecurring }: Command & { kind: "sale" }): void {
    const sale: Sale = {
      ...{ amountCents, sold, isHoldOver, isRecurring, partner: undefined, isUnconfirmed: false, status: "void" },
      ...{ initialCents: 0, isApprovedByPerson: false, isHeld: false, refunds: new Map() },
    };
    const isPlaced = this.#click !== undefined;
    const before = this.#click;
    if (clicks.length > 0) {
      // The sale is attributed in the same pass as the earlier sales that its own clicks move.
      this.sales.push(sale);
      sale.partner = undefined;
      this.#show(clicks, true);
    } else this.sales.push(sale);
    if (sale.partner === undefined && this.#click !== undefined && (isPlaced || this.#click !== before)) {
      this.#credit(sale);
    }
  }

  #refunded({ amountCents, refunds }: Sale): number {
    const told = [...refunds.values()].map((cents) => (cents === null ? 0 : (cents ?? amountCents)));
    return Math.min(
      amountCents,
      told.reduce((sum, cents) => sum + cents, 0),
    );
  }

  #refund(command: Command & { kind: "refund" | "cancel" }): void {
    const sale = this.sales[command.sale];
    if (sale === undefined) return;
    const before = this.#refunded(sale);
    if (command.kind === "cancel") {
      if (sale.refunds.get(command.id) === null) return;
      sale.refunds.set(command.id, null);
    } else {
      if (sale.refunds.has(command.id)) return;
      const left = sale.amountCents - before;
      if (left > 0 && (command.amountCents ?? 0) > left) return;
      sale.refunds.set(command.id, command.amountCents);
    }
    const isWhole = this.#refunded(sale) === sale.amountCents;
    if (isWhole && (sale.status === "pending" || sale.status === "approved")) {
      if ((sale.status === "pending" || sale.isHeld) && this.#one === sale) this.#one = undefined;
      sale.status = "reversed";
    } else if (!isWhole && sale.status === "reversed") {
      if (this.#terms.isOneTime && this.#one !== undefined && this.#one !== sale) {
        sale.initialCents = 0;
        return;
      }
      this.#one ??= sale;
      const isMature = sale.isHoldOver && !sale.isUnconfirmed;
      sale.status = sale.isApprovedByPerson || isMature ? "approved" : "pending";
    }
  }

  #decide(command: Command & { kind: "approve" | "reject" }): void {
    const sale = this.sales[command.sale];
    if (sale?.status !== "pending" && !(sale?.status === "approved" && command.kind === "reject")) return;
    if (command.kind === "reject") {
      sale.status = "rejected";
      return;
    }
    sale.status = "approved";
    sale.isApprovedByPerson = true;
    sale.isUnconfirmed = false;
    if (sale.partner !== undefined) this.vouchedFor.add(sale.partner);
    if (this.#click !== undefined && !this.#isConfirmed) this.#confirm();
  }

  #left(sale: Sale): number {
    if (sale.status === "void" || sale.status === "rejected") return 0;
    const left = BigInt(sale.amountCents - this.#refunded(sale));
    return Number(halfUp(BigInt(sale.initialCents) * left, BigInt(sale.amountCents)));
  }
}
