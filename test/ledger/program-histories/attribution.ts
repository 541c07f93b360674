import {
  type Binding,
  type Book,
  type Customer,
  clockErrorMs,
  currentSales,
  type Evidence,
  firstSaleAt,
  isBefore,
  isWithin,
  type Sale,
  type Settings,
} from "./book.ts";
import { decideAll } from "./commissions.ts";
import type { Click } from "./events.ts";

/** True if no click, coupon or assignment can move the customer to another partner any more. */
export function isFinal(customer: Customer): boolean {
  const { binding, sales } = customer;
  if (binding === null) return false;
  const isOwn = ({ partner }: Sale) => partner === binding.partner;
  if (binding.source === "coupon") return sales.some((sale) => isOwn(sale) && sale.wasApproved);
  return binding.source !== "click" || currentSales(customer).some(isOwn);
}

const chosenOf = (book: Book, clicks: readonly Click[]): Click | undefined =>
  clicks.toSorted((a, b) => (book.settings.model === "last_click" ? b.at - a.at : a.at - b.at) || a.n - b.n)[0];

type Judged = { readonly click: Click } | { readonly reason: string };

/**
 * Chooses among the clicks of a call and of earlier calls. Returns the click, or the reason why none attributes the
 * customer. `first` is the time of the customer's first sale.
 */
function judge(book: Book, customer: Customer, { by, at, clicks }: Evidence, first: number | null): Judged {
  if (clicks.length === 0) return { reason: "no_click" };
  const { settings } = book;
  const known = [...clicks, ...customer.evidence.flatMap((each) => each.clicks)];
  const event = { at: by === "sale" ? Math.min(first ?? at, at) : at, first };
  // A lead that is reported late chooses among the clicks that were within the window at its own time, even if the
  // window must also include the first sale.
  const isInTime = by === "lead" && (first === null || at <= first);
  const window = isInTime ? at : (first ?? at);
  const reasonOf = (click: Click) =>
    reasonAgainst(click, event) ?? (isWithin(click, window, settings) ? null : expired);
  const click = chosenOf(
    book,
    known.filter((each) => reasonOf(each) === null),
  );
  if (click === undefined) {
    const own = chosenOf(book, clicks);
    return { reason: (own && reasonOf(own)) ?? "no_click" };
  }
  const isTooOld = first !== null && settings.windowUntil === "first_sale" && !isWithin(click, first, settings);
  return isTooOld ? { reason: expired } : { click };
}

const expired = "attribution_window_expired";

interface Event {
  readonly at: number;
  readonly first: number | null;
}

function reasonAgainst(click: Click, { at, first }: Event): string | null {
  if (!isBefore(click, at)) return "no_click";
  return first !== null && !isBefore(click, first) ? "existing_customer" : null;
}

/** Returns the binding by a click of a call. If the call repeats the click of the former binding, the earlier counts. */
function byClick(click: Click, { by, at }: Evidence, former: Binding | null) {
  const isRepeated = former?.click?.n === click.n && former.boundBy !== null && former.boundBy.at <= at;
  return {
    ...{ partner: click.partner, source: "click" as const, click, since: Number.NEGATIVE_INFINITY },
    boundBy: isRepeated ? former.boundBy : { by, at },
  };
}

/** Processes the clicks of a call. */
export function showClicks(book: Book, customer: Customer, evidence: Evidence): void {
  const judged = judge(book, customer, evidence, firstSaleAt(customer));
  customer.evidence.push(evidence);
  if (isFinal(customer)) return;
  if ("reason" in judged) {
    if (customer.binding === null && judged.reason !== "no_click") customer.reason = judged.reason;
    return;
  }
  const current = customer.binding?.click ?? null;
  if (current !== null && evidence.by === "sale") return;
  const isOver = current !== null && isBefore(current, evidence.at) && !isWithin(current, evidence.at, book.settings);
  const { binding } = customer;
  const bound = byClick(judged.click, evidence, binding ?? customer.spoiled);
  if (current === null || isOver || chosenOf(book, [current, judged.click]) !== current) bind(customer, bound);
  else if (binding !== null && current.n === bound.click.n) customer.binding = { ...binding, boundBy: bound.boundBy };
}

export function bind(customer: Customer, binding: Binding | null): void {
  const { binding: former } = customer;
  if (former !== null && former.partner !== binding?.partner) {
    if (former.source === "coupon") customer.left.add(former.partner);
    customer.place = null;
  }
  customer.binding = binding;
  customer.spoiled = null;
}

/**
 * Decides after a call of the customer whether a click still attributes the customer, because a correction may have
 * changed which sale is the customer's first.
 */
export function reconsider({ settings }: Book, customer: Customer): void {
  const first = firstSaleAt(customer);
  const bound = customer.binding ?? customer.spoiled;
  const click = bound?.click ?? null;
  if (bound === null || click === null || isFinal(customer)) return;
  const isLate = first !== null && !isWithin(click, decidingAt(bound, first, settings), settings);
  if (first === null || (isBefore(click, first) && !isLate)) {
    if (customer.binding === null) bind(customer, bound);
    return;
  }
  customer.binding = null;
  customer.spoiled = bound;
  customer.reason = isLate ? expired : "existing_customer";
}

/** The instant that must be within the click's window: the lead's if it is before the first sale and the window allows it. */
const decidingAt = ({ boundBy }: Binding, first: number, { windowUntil }: Settings): number =>
  windowUntil === "lead" && boundBy?.by === "lead" ? Math.min(boundBy.at, first) : first;

/** Returns the coupon of each known code, and whether the coupon was active when the sale was reported. */
export const couponsOf = (book: Book, codes: readonly string[]): Sale["coupons"] =>
  codes.flatMap((code) => {
    const coupon = book.coupons.find(({ codes: own }) => own.includes(code));
    return coupon === undefined
      ? []
      : [{ coupon, isActive: coupon.isActive && book.isActive[coupon.partner] === true }];
  });

/** Returns the partner of the first coupon that is valid at the sale's time. */
export const couponPartnerOf = (coupons: Sale["coupons"], at: number): number | null =>
  coupons.find(
    ({ isActive, coupon: { validFrom, validUntil } }) =>
      isActive && (validFrom ?? at) <= at && at <= (validUntil ?? at),
  )?.coupon.partner ?? null;

/** Processes the coupon of a sale. */
export function showCoupon(sale: Sale): void {
  const { customer, shown, couponPartner } = sale;
  const { binding } = customer;
  if (couponPartner === null || isBoundFor(customer, shown.at)) return;
  if (hasBoughtBefore(sale)) {
    sale.reason = "existing_customer";
    return;
  }
  const byCoupon = { partner: couponPartner, source: "coupon", click: null, since: shown.at, boundBy: null } as const;
  const isSame = binding !== null && binding.source === "coupon" && couponPartner === binding.partner;
  if (isSame || (!isFinal(customer) && !customer.left.has(couponPartner))) bind(customer, byCoupon);
}

/**
 * True if the customer has an earlier sale that was reported before this one. A correction may have moved that sale to
 * the customer since.
 */
export const hasBoughtBefore = ({ customer, order, shown }: Sale): boolean =>
  currentSales(customer).some((each) => each.order < order && each.shown.at < shown.at);

/** True if a sale's coupon at this time can't replace the customer's binding. */
function isBoundFor(customer: Customer, at: number): boolean {
  const { binding } = customer;
  if (binding === null) return false;
  if (binding.source === "coupon") return at >= binding.since;
  return binding.click === null || isBefore(binding.click, at);
}

const staysAsItIs = ({ partner, wasApproved, commission: { status } }: Sale): boolean =>
  partner !== null && (status === "approved" || status === "rejected" || (status === "reversed" && wasApproved));

/**
 * Attributes the customer's sales by the current binding. Returns the sales except `fresh` that were attributed to a
 * new partner.
 */
export function follow(book: Book, customer: Customer, fresh: Sale | null): readonly Sale[] {
  const { binding } = customer;
  const changed: Sale[] = [];
  for (const sale of currentSales(customer)) {
    if (staysAsItIs(sale)) continue;
    const staysBefore = binding?.source === "import" || binding?.source === "person";
    if (staysBefore && sale !== fresh && sale.shown.at < binding.since) continue;
    const isOwn = binding !== null && sale.shown.at >= sinceOf(binding);
    const partner = isOwn ? binding.partner : null;
    if (sale.partner === partner && sale !== fresh) {
      if (isOwn && binding.source === "click") sale.source = "click";
      continue;
    }
    sale.partner = partner;
    sale.source = isOwn ? binding.source : null;
    if (!isOwn) sale.reason = sale === fresh ? (sale.reason ?? reasonOf(customer)) : reasonOf(customer);
    else sale.reason = null;
    changed.push(sale);
  }
  decideAll(book, changed);
  return changed.filter((sale) => sale !== fresh && sale.partner !== null);
}

const reasonOf = ({ binding, reason }: Customer): string => (binding === null ? reason : "no_click");

/** The time from which sales are attributed: the click's, or the time that a coupon, an import or a member has set. */
const sinceOf = ({ click, since }: Binding): number => (click === null ? since : click.at - clockErrorMs);
