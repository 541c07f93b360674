import {
  couponPartnerOf,
  follow,
  hasBoughtBefore,
  isFinal,
  reconsider,
  showClicks,
  showCoupon,
} from "./attribution.ts";
import { type Book, type Customer, currentSales, customerOf, type Sale } from "./book.ts";
import { decideAll, settle } from "./commissions.ts";
import type { Shown } from "./events.ts";

export interface Changes {
  readonly amountCents?: number;
  readonly occurredAt?: number;
  readonly customerKey?: string;
}

interface Making {
  readonly book: Book;
  make(transactionId: string, shown: Shown, customer: Customer): Sale;
}

type Expected = Readonly<Record<string, unknown>>;

const refused = (code: string): Expected => ({ refused: code });

/** Refunds the rest of the sale, and records the sale again with the changes. */
export function correct(
  { book, make }: Making,
  sale: Sale,
  { amountCents, occurredAt, customerKey }: Changes,
): Expected {
  const { shown, refunds } = sale;
  const to: Shown = {
    ...shown,
    ...{ cents: amountCents ?? shown.cents, at: occurredAt ?? shown.at, customerKey: customerKey ?? shown.customerKey },
  };
  if (sale.replacedBy !== null) return refused("already_corrected");
  if (sale.commission.status === "rejected") return refused("sale_rejected");
  if (refunds.amounts(shown.cents) > to.cents) return refused("below_refunded");
  const former = sale.customer;
  const hadPlace = former.place === sale;
  const wasFinal = former.binding?.source === "click" && isFinal(former);
  const [base, n] = sale.transactionId.split("~");
  const number = Number(n ?? 0) + 1;
  const repeated = refunds.repeatedOn(to.cents);
  const was = refunds.refunded(shown.cents);
  refunds.judge(
    { asked: "rest", refundId: `correction-${number}`, cents: null, chargeTotalCents: null },
    null,
    shown.cents,
  );
  settle(book, sale, was);
  const buyer = customerKey === undefined ? former : customerOf(book, customerKey);
  const made = make(`${base}~${number}`, to, buyer);
  made.refunds.reported.push(...repeated.reported);
  made.isRecurring = sale.isRecurring;
  made.coupons = sale.coupons;
  made.couponPartner = to.at === shown.at ? sale.couponPartner : couponPartnerOf(sale.coupons, to.at);
  made.order = sale.order;
  made.commission.isHeld = sale.commission.isHeld;
  sale.replacedBy = made;
  made.corrects = sale;
  if (hadPlace) former.place = made.customer === former ? made : null;
  if (made.customer === former) {
    if (wasFinal) follow(book, former, made);
    else replace(book, sale, made);
  } else {
    // Other sales of the former customer don't change.
    reconsider(book, made.customer);
    if (to.clicks.length > 0) showClicks(book, made.customer, { by: "sale", at: to.at, clicks: to.clicks, sale: made });
    if (made.couponPartner !== null) showCoupon(made);
    follow(book, made.customer, made);
  }
  return { corrected: made.transactionId };
}

/**
 * Replaces the sale for the same customer. A click or coupon of the sale that attributed the customer does so at the
 * corrected time.
 */
function replace(book: Book, sale: Sale, made: Sale): void {
  const { customer } = made;
  const { binding, evidence } = customer;
  const shown = evidence.findIndex((each) => each.sale === sale);
  const own = evidence[shown];
  if (binding?.source === "coupon" && binding.since === sale.shown.at && made.shown.at !== binding.since) {
    const holds = isFinal(customer) || (made.couponPartner === binding.partner && !hasBoughtBefore(made));
    customer.binding = holds ? { ...binding, since: made.shown.at } : null;
  }
  reconsider(book, customer);
  if (own !== undefined) {
    evidence.splice(shown, 1);
    showClicks(book, customer, { ...own, at: made.shown.at, sale: made });
  }
  if (customer.binding === null && made.couponPartner !== null) showCoupon(made);
  if (binding !== null && customer.binding?.partner !== binding.partner) customer.place = null;
  const isAssigned = binding?.source === "import" || binding?.source === "person";
  if (isAssigned && made.shown.at < binding.since) keep(book, sale, made);
  else follow(book, customer, made);
}

/** A sale before an assignment keeps its partner, unless the partner's coupon isn't valid at the corrected time. */
function keep(book: Book, sale: Sale, made: Sale): void {
  const isKept = sale.source !== "coupon" || sale.shown.at === made.shown.at || hasCoupon(sale, made);
  made.partner = isKept ? sale.partner : null;
  made.source = isKept ? sale.source : null;
  made.reason = isKept ? sale.reason : "no_click";
  decideAll(book, [made]);
}

/** True if the corrected sale or an earlier one has a coupon of the partner. */
const hasCoupon = ({ partner }: Sale, made: Sale): boolean =>
  currentSales(made.customer).some((each) => each.couponPartner === partner && each.shown.at <= made.shown.at);
