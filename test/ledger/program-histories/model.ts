import {
  bind,
  couponPartnerOf,
  couponsOf,
  follow,
  isFinal,
  reconsider,
  showClicks,
  showCoupon,
} from "./attribution.ts";
import { amountOf, type Book, type Customer, currencyOf, customerOf, day, type Sale } from "./book.ts";
import { approve, firstAttributedAt, mature, noCommission, settle } from "./commissions.ts";
import { type Changes, correct } from "./corrections.ts";
import type { Click, RefundAsked, Shown } from "./events.ts";
import { Payouts } from "./payouts.ts";
import { RefundBook } from "./refunds.ts";
import { buyerOf, isRenewal } from "./subscriptions.ts";

export interface Assigned {
  readonly partner: number;
  readonly since: number | null;
  readonly payPast: boolean;
  readonly source: "person" | "import";
  readonly firstSaleAt: number | null;
}

export type Expected = Readonly<Record<string, unknown>>;

const refused = (code: string): Expected => ({ refused: code });

/** Computes the expected response of each call and the expected books, by the documentation alone. */
export class Model {
  readonly book: Book;
  readonly payouts: Payouts;

  constructor(book: Book, payouts = new Payouts(book)) {
    this.book = book;
    this.payouts = payouts;
  }

  /** Returns a copy that later calls to this model don't change. */
  copy(): Model {
    const { book, paid } = structuredClone({ book: this.book, paid: { ...this.payouts } });
    for (const sale of book.sales) sale.refunds = new RefundBook(sale.refunds.reported);
    return new Model(book, new Payouts(book, paid));
  }

  /**
   * Returns the model after a restore of the backup at which this copy was made. Final payouts require an
   * acknowledgment, because the restore may have lost their payments.
   */
  restored(now: number): Model {
    const restored = this.copy();
    restored.book.now = now;
    restored.payouts.asks = true;
    for (const payout of restored.payouts.all) payout.asks = payout.status === "final";
    return restored;
  }

  lead(key: string, clicks: readonly Click[], at: number): Expected {
    const { book } = this;
    const customer = customerOf(book, key);
    const { lead: before } = customer;
    const beforeClick = before?.click ?? null;
    customer.lead ??= { click: null, reason: "no_click" };
    reconsider(book, customer);
    showClicks(book, customer, { by: "lead", at, clicks, sale: null });
    const followed = follow(book, customer, null);
    this.followLead(customer);
    const { click } = customer.lead;
    const { binding } = customer;
    if (binding !== null && (binding.source === "import" || binding.source === "person")) {
      return {
        status: "attributed",
        partner: binding.partner,
        repeat: before === null ? null : "duplicate",
        sales: [],
      };
    }
    const isMoved = before !== null && click !== beforeClick;
    return {
      ...(click === null
        ? { status: "unattributed", reason: customer.reason }
        : { status: "attributed", partner: click.partner }),
      repeat: before === null ? null : isMoved ? "moved" : "duplicate",
      sales: before === null || isMoved ? followed.map(({ transactionId }) => transactionId).toSorted() : [],
    };
  }

  /** Attributes the lead to the customer's current click. Without a binding, the lead keeps the last one. */
  followLead({ binding, lead }: Customer): void {
    if (lead !== null && binding !== null) lead.click = binding.source === "click" ? binding.click : null;
  }

  sale(transactionId: string, sent: Shown): Expected {
    const { book } = this;
    const known = book.sales.find((sale) => sale.transactionId === transactionId);
    if (known !== undefined) {
      const shown = this.shownSale(known);
      // A refund doesn't change the status of a commission in a final or paid payout.
      const inPayout = known.line?.isPaid ? "paid" : "approved";
      const status = known.line === null ? shown.status : inPayout;
      return { ...refused("duplicate_transaction"), sale: { ...shown, status } };
    }
    const isRecurring = isRenewal(book, sent);
    const { customer, shown } = buyerOf(book, sent);
    const sale = this.newSale(transactionId, shown, customer);
    sale.isRecurring = isRecurring;
    sale.coupons = couponsOf(book, shown.coupons);
    sale.couponPartner = couponPartnerOf(sale.coupons, shown.at);
    this.attribute(sale);
    return this.shownSale(sale);
  }

  newSale(transactionId: string, shown: Shown, customer: Customer): Sale {
    const sale: Sale = {
      ...{ id: this.book.sales.length + 1, order: this.book.sales.length + 1, transactionId, shown, customer },
      ...{
        isRecurring: false,
        partner: null,
        source: null,
        reason: null,
        commission: noCommission(null),
        coupons: [],
        couponPartner: null,
        wasApproved: false,
        hasPlace: false,
      },
      ...{ payableNumber: null, line: null },
      ...{ refunds: new RefundBook(), replacedBy: null, corrects: null, foundPlaceFree: false },
    };
    this.book.sales.push(sale);
    customer.sales.push(sale);
    return sale;
  }

  attribute(sale: Sale): void {
    const { book } = this;
    const { customer, shown } = sale;
    reconsider(book, customer);
    if (shown.clicks.length > 0) showClicks(book, customer, { by: "sale", at: shown.at, clicks: shown.clicks, sale });
    if (shown.coupons.length > 0) showCoupon(sale);
    follow(book, customer, sale);
    this.followLead(customer);
  }

  refund(transactionId: string, at: number | null, asked: RefundAsked): Expected {
    const sale = this.newest(transactionId);
    if (sale === undefined) return refused("sale_not_found");
    const { shown, refunds } = sale;
    const [was, wasAmount, wasVoid] = [
      refunds.refunded(shown.cents),
      amountOf(sale),
      sale.commission.status === "void",
    ];
    const judged = refunds.judge(asked, at, shown.cents);
    if (judged.kind === "refused") return refused(judged.code);
    const figures = () => ({
      ...{ refundedCents: refunds.refunded(shown.cents) - was, commissionReversedCents: wasAmount - amountOf(sale) },
      ...{ refundedTotalCents: refunds.refunded(shown.cents), commissionAmountCents: amountOf(sale) },
    });
    if (judged.kind === "skipped") {
      return { status: "skipped", reason: judged.reason, ...(judged.figures ?? figures()) };
    }
    const reason = settle(this.book, sale, was);
    const done = figures();
    if (!judged.isCancel) {
      judged.reported.first = done;
      judged.reported.refundedBefore = was;
    }
    const counted = wasVoid ? "no_commission" : done.refundedTotalCents === shown.cents ? "reversed" : "refunded";
    return { status: judged.isCancel ? "restored" : counted, reason, ...done };
  }

  newest(transactionId: string): Sale | undefined {
    let sale = this.book.sales.find((each) => each.transactionId === transactionId);
    while (sale?.replacedBy) sale = sale.replacedBy;
    return sale;
  }

  correct(saleId: number, changes: Changes): Expected {
    const sale = this.book.sales.find(({ id }) => id === saleId);
    if (sale === undefined) return refused("not_found");
    const corrected = correct({ book: this.book, make: (...args) => this.newSale(...args) }, sale, changes);
    for (const customer of this.book.customers.values()) this.followLead(customer);
    return corrected;
  }

  decide(saleId: number, decision: "approved" | "rejected"): Expected {
    const sale = this.book.sales.find(({ id }) => id === saleId);
    if (sale === undefined) return refused("not_found");
    const { commission } = sale;
    if (commission.status === decision && !sale.line?.isPaid) return { result: "unchanged" };
    const isOpen = commission.status === "pending" || (commission.status === "approved" && decision === "rejected");
    if (!isOpen || sale.line !== null) return { result: "refused" };
    commission.status = decision;
    commission.isHeld = false;
    if (decision === "approved") approve(this.book, sale, "person");
    return { result: decision };
  }

  review(saleId: number, action: "hold" | "release"): Expected {
    const sale = this.book.sales.find(({ id }) => id === saleId);
    if (sale === undefined) return refused("not_found");
    const { commission } = sale;
    const isOpen = commission.status === "pending" || commission.status === "approved";
    if (action === "release") {
      // A void commission can't be released. Its hold takes effect once the sale gets a partner.
      if (!commission.isHeld || commission.status === "void") return { result: "unchanged" };
      commission.isHeld = false;
      if (isOpen) mature(this.book);
      return { result: "released" };
    }
    if (commission.isHeld) return { result: "unchanged" };
    if (!isOpen || commission.approvedBy === "person" || sale.line !== null) return { result: "refused" };
    commission.isHeld = true;
    commission.status = "pending";
    commission.approvedBy = null;
    return { result: "held" };
  }

  /** Attributes a customer to a partner by a member's decision or an import. */
  assign(key: string, given: Assigned): Expected {
    const { book } = this;
    const { partner, payPast, source, firstSaleAt } = given;
    const since = given.since ?? book.now;
    const known = book.customers.get(key);
    if (source === "import" && book.erasedKeys.has(key)) return { assigned: false };
    const isLocked =
      known !== undefined && (known.binding?.source === "click" || known.spoiled !== null || isFinal(known));
    if (isLocked || (since < book.now && !payPast)) {
      const isSame = isLocked && known.binding?.partner === partner && given.since === null && source === "import";
      const isAgain = isLocked && known.binding?.partner === partner && known.binding.source === "person";
      if (isAgain && source === "person" && (given.since === null || given.since === known.binding?.since)) {
        return { assigned: true };
      }
      // A repeated import only adds a first sale that is earlier than the recorded ones.
      const recorded = isSame ? firstAttributedAt(known, partner) : null;
      if (isSame && (recorded ?? Infinity) > (firstSaleAt ?? Infinity)) known.importedFirstAt ??= firstSaleAt;
      return { assigned: false };
    }
    const customer = customerOf(book, key);
    bind(customer, { partner, source, click: null, since, boundBy: null });
    customer.importedFirstAt = firstSaleAt;
    follow(book, customer, null);
    this.followLead(customer);
    return { assigned: true };
  }

  /** Erases a customer. Recorded sales stay, and a later call with the key is about a new customer. */
  erase(key: string): Expected {
    const { customers, erasedKeys, sales } = this.book;
    // A subscription's sale may have been sent with another key than its customer's. After an erasure, only sales
    // recorded later still have the key.
    const sent = sales
      .slice(erasedKeys.get(key) ?? 0)
      .find(({ shown, customer }) => shown.customerKey === key && customers.get(customer.key) === customer);
    const erased = customers.get(key) ?? sent?.customer;
    if (erased === undefined) return refused("person_not_found");
    customers.delete(erased.key);
    const sentKeys = erased.sales.map(({ shown }) => shown.customerKey).filter((each) => !customers.has(each));
    for (const each of [key, erased.key, ...sentKeys]) erasedKeys.set(each, sales.length);
    return { erased: true };
  }

  wait(days: number): void {
    this.book.now += days * day;
    mature(this.book);
  }

  shownSale(sale: Sale): Expected {
    const { transactionId: t, partner, source, reason, commission } = sale;
    return {
      ...{ t, partner, source, reason: partner === null ? reason : null },
      ...{ status: commission.status, amount: amountOf(sale) },
      ...{ why: partner === null ? reason : commission.reason },
    };
  }

  commissions(): readonly Expected[] {
    return this.book.sales.map((sale) => {
      const { t, partner, source, status, amount, why: reason } = this.shownSale(sale);
      const refunded = sale.refunds.refunded(sale.shown.cents);
      const currency = status === "void" ? null : currencyOf(sale);
      return {
        ...{ t, isRecurring: sale.isRecurring, partner, source, status, reason },
        ...{ amount, entries: amount, refunded, currency },
      };
    });
  }

  balances(): readonly { readonly of: string; readonly money: readonly number[] }[] {
    const { book, payouts } = this;
    return [...book.isActive.keys()].flatMap((partner) =>
      ["EUR", "MONTHS", "USD"].flatMap((currency) => {
        const money = payouts.accountsOf(partner, currency);
        return money.some((cents) => cents !== 0) ? [{ of: `${partner} ${currency}`, money }] : [];
      }),
    );
  }
}
