/**
 * The model of one customer's sales with coupons, keyed clicks and approvals. It attributes each sale by the guide's
 * table only, one call at a time. Days count up, and no hold period has ended.
 */

/** A click on a partner's link. No two clicks, and no two sales, of a customer have the same time. */
export interface Click {
  readonly partner: number;
  readonly day: number;
}

/** The partner of a valid coupon, or the reason why the coupon is invalid. */
export type Coupon = number | "unknown" | "paused";

export type Command =
  | { readonly kind: "lead"; readonly click: Click }
  | { readonly kind: "sale"; readonly day: number; readonly coupons: readonly Coupon[] }
  | { readonly kind: "refund"; readonly sale: number }
  | { readonly kind: "approve"; readonly sale: number };

interface Sale {
  readonly day: number;
  readonly coupons: readonly Coupon[];
  partner: number | undefined;
  by: "click" | "coupon" | undefined;
  readonly movedTo: Set<number>;
  isRefunded: boolean;
  isApproved: boolean;
  hasBought: boolean;
}

type Customer =
  | { readonly by: "nothing" }
  | { readonly by: "click"; readonly click: Click }
  | { readonly by: "coupon"; readonly partner: number; readonly since: number; readonly isFinal: boolean };

const isPartner = (coupon: Coupon): coupon is number => typeof coupon === "number";

export class CouponModel {
  readonly sales: Sale[] = [];
  readonly #shown: Click[] = [];
  readonly #left = new Set<number>();
  #customer: Customer = { by: "nothing" };

  take(command: Command): void {
    switch (command.kind) {
      case "lead":
        this.#refer(command.click);
        return;
      case "sale":
        this.#sell(command);
        return;
      case "refund": {
        const sale = this.sales[command.sale];
        if (sale !== undefined) sale.isRefunded = true;
        return;
      }
      case "approve":
        this.#approve(this.sales[command.sale]);
    }
  }

  /** The sales in order of report: partner, source, and the outcome of the first valid coupon. */
  rows(): unknown[] {
    return this.sales.map((sale) => [sale.partner ?? null, sale.by ?? null, this.#outcome(sale)]);
  }

  #outcome({ coupons, partner, hasBought }: Sale): string | null {
    const first = coupons.find(isPartner);
    if (first === undefined) return null;
    if (partner === first) return "chosen";
    return partner === undefined && hasBought ? "existing_customer" : "outranked";
  }

  get #firstDay(): number {
    return Math.min(...this.sales.map(({ day }) => day));
  }

  #hasSaleOf = (by: "click" | "coupon"): boolean => this.sales.some((sale) => sale.by === by);

  /**
   * Attributes the customer to the newest click that is before the lead and before the first sale, unless the
   * attribution is final.
   */
  #refer(told: Click): void {
    this.#shown.push(told);
    const customer = this.#customer;
    if (customer.by === "coupon" && customer.isFinal) return;
    if (customer.by === "click" && this.#hasSaleOf("click")) return;
    const latest = Math.min(told.day, this.#firstDay);
    const newest = this.#shown.filter(({ day }) => day <= latest).sort((a, b) => b.day - a.day)[0];
    if (newest === undefined) return;
    if (customer.by === "click" && newest.day < customer.click.day && customer.click.day <= this.#firstDay) return;
    this.#customer = { by: "click", click: newest };
    for (const sale of this.sales) this.#give(sale, newest.partner, "click");
  }

  #sell({ day, coupons }: Command & { kind: "sale" }): void {
    const hasBought = this.sales.some((other) => other.day < day);
    const sale: Sale = {
      ...{ day, coupons, hasBought: false },
      ...{ partner: undefined, by: undefined, movedTo: new Set(), isRefunded: false, isApproved: false },
    };
    const first = Math.min(day, this.#firstDay);
    this.sales.push(sale);
    const customer = this.#customer;
    if (customer.by === "click") {
      const { click } = customer;
      const isValid = click.day <= first || (this.#hasSaleOf("click") && click.day <= day);
      if (isValid) this.#give(sale, click.partner, "click");
      if (isValid || this.#hasSaleOf("click")) return;
    }
    if (customer.by === "coupon" && customer.since <= day) this.#give(sale, customer.partner, "coupon");
    const partner = coupons.find(isPartner);
    if (partner === undefined || (customer.by === "coupon" && customer.since <= day)) return;
    const isFinal = customer.by === "coupon" && customer.isFinal;
    if (isFinal && customer.partner !== partner) return;
    sale.hasBought = hasBought;
    if (hasBought || (customer.by === "coupon" && customer.partner !== partner && this.#left.has(partner))) return;
    this.#customer = { by: "coupon", partner, since: day, isFinal };
    for (const each of this.sales) if (each.day >= day) this.#give(each, partner, "coupon");
  }

  #give(sale: Sale, partner: number, by: "click" | "coupon"): void {
    const isMoving = sale.partner !== undefined && sale.partner !== partner;
    if (sale.isApproved || sale.by === "click" || (isMoving && sale.movedTo.has(partner))) return;
    if (sale.partner !== undefined && isMoving) {
      this.#left.add(sale.partner);
      if (!sale.isRefunded) sale.movedTo.add(partner);
    }
    sale.partner = partner;
    sale.by = by;
  }

  #approve(sale: Sale | undefined): void {
    if (sale?.partner === undefined || sale.isRefunded) return;
    sale.isApproved = true;
    const customer = this.#customer;
    if (customer.by === "coupon" && sale.by === "coupon" && customer.partner === sale.partner) {
      this.#customer = { ...customer, isFinal: true };
    }
  }
}
