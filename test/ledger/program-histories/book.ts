import type { Click, Shown } from "./events.ts";
import type { Line } from "./payouts.ts";
import type { RefundBook } from "./refunds.ts";

export const day = 86_400_000;
export const clockErrorMs = 5 * 60_000;

export type Source = "click" | "coupon" | "import" | "person";

export interface Policy {
  readonly owner: "program" | { readonly partner: number } | { readonly group: number };
  readonly from: number;
  readonly type: "percent" | "flat" | "none";
  readonly rateBps: number | null;
  readonly amountCents: number | null;
  readonly currency: string | null;
  /** The unit of `amountCents`. */
  readonly unit: { readonly code: string } | null;
  readonly scope: "one_time" | "recurring" | "lifetime";
  readonly durationMonths: number | null;
  readonly holdDays: number;
  readonly minSaleCents: number | null;
  readonly maxCommissionCents: number | null;
}

export interface Coupon {
  readonly codes: readonly string[];
  readonly partner: number;
  isActive: boolean;
  validFrom: number | null;
  validUntil: number | null;
}

export interface Settings {
  readonly model: "last_click" | "first_click";
  readonly windowDays: number;
  readonly windowUntil: "lead" | "first_sale";
}

export type Status = "pending" | "approved" | "reversed" | "rejected" | "void";

export interface Commission {
  status: Status;
  reason: string | null;
  initial: number;
  approvedBy: "hold" | "person" | null;
  isHeld: boolean;
  holdUntil: number;
  policy: Policy | null;
}

export interface Sale {
  readonly id: number;
  readonly transactionId: string;
  /** The sale's rank in the order of reports. A corrected sale has the rank of its first version. */
  order: number;
  readonly shown: Shown;
  readonly customer: Customer;
  isRecurring: boolean;
  partner: number | null;
  source: Source | null;
  reason: string | null;
  commission: Commission;
  /** True once the commission was approved, whatever its status is now. */
  wasApproved: boolean;
  refunds: RefundBook;
  coupons: readonly { readonly coupon: Coupon; readonly isActive: boolean }[];
  /** The partner of the first coupon that was active at the report and is valid at the sale's time. */
  couponPartner: number | null;
  /** The number at which the commission became payable. It stays while a payout's line contains the commission. */
  payableNumber: number | null;
  /**
   * True while the sale has the customer's only `one_time` commission at the sale's partner, even if the customer has
   * left the partner.
   */
  hasPlace: boolean;
  /**
   * True if the sale earned a commission when it was last decided, and no other sale had the customer's only `one_time`
   * commission then.
   */
  foundPlaceFree: boolean;
  line: Line | null;
  /** The correction that replaces this sale. */
  replacedBy: Sale | null;
  /** The sale that this one corrects. */
  corrects: Sale | null;
}

export interface Binding {
  readonly partner: number;
  readonly source: Source;
  readonly click: Click | null;
  /** Sales before this time aren't attributed to the partner. */
  readonly since: number;
  /** The earliest lead or sale whose clicks led to this binding. Null for a binding without a click. */
  readonly boundBy: Pick<Evidence, "by" | "at"> | null;
}

/** A lead or a sale that was sent with clicks. */
export interface Evidence {
  readonly by: "lead" | "sale";
  readonly at: number;
  readonly clicks: readonly Click[];
  readonly sale: Sale | null;
}

export interface Customer {
  readonly key: string;
  readonly sales: Sale[];
  readonly evidence: Evidence[];
  binding: Binding | null;
  /** The reason why the customer has no binding. */
  reason: string;
  /** The customer's lead, with the click to which it is attributed. */
  lead: { click: Click | null; reason: string } | null;
  /** The sale that has the customer's only commission under a `one_time` policy. */
  place: Sale | null;
  readonly left: Set<number>;
  importedFirstAt: number | null;
  /**
   * The binding by a click that attributed the customer until the first sale turned out to be before the click, or too
   * long after it.
   */
  spoiled: Binding | null;
}

/** A partner's joining or leaving of the program's only group. */
export interface Membership {
  readonly partner: number;
  readonly from: number;
  readonly isIn: boolean;
}

export interface Book {
  readonly settings: Settings;
  readonly policies: Policy[];
  readonly coupons: readonly Coupon[];
  readonly isActive: boolean[];
  /** The instant at which each number was assigned, beginning with number 1. */
  readonly instants: number[];
  /** In order of time. */
  readonly memberships: Membership[];
  readonly customers: Map<string, Customer>;
  /** The number of sales that had been recorded when the key was erased, by key. */
  readonly erasedKeys: Map<string, number>;
  readonly sales: Sale[];
  now: number;
}

export const openBook = (
  given: Pick<Book, "settings" | "policies" | "coupons" | "now" | "memberships"> & { readonly partners: number },
): Book => ({
  ...given,
  instants: [],
  isActive: Array.from({ length: given.partners }, () => true),
  customers: new Map(),
  erasedKeys: new Map(),
  sales: [],
});

export const nextNumber = ({ instants, now }: Book): number => instants.push(now);

/** Returns the last number that was assigned up to the instant. */
export const numberAt = ({ instants }: Book, until: number): number => instants.findLastIndex((at) => at <= until) + 1;

export const halfUp = (cents: number, times: number, of: number): number =>
  Number((2n * BigInt(cents) * BigInt(times) + BigInt(of)) / (2n * BigInt(of)));

/** A click may seem to be up to `clockErrorMs` later than the event, because callers' clocks differ. */
export const isBefore = (click: Click, at: number): boolean => click.at <= at + clockErrorMs;

export const isWithin = (click: Click, at: number, { windowDays }: Settings): boolean =>
  isBefore(click, at) && at - click.at <= windowDays * day;

export const currentSales = (customer: Customer): readonly Sale[] =>
  customer.sales.filter(({ replacedBy }) => replacedBy === null);

export const firstSaleAt = (customer: Customer): number | null =>
  currentSales(customer).reduce<number | null>((first, { shown: { at } }) => Math.min(first ?? at, at), null);

export const byInstant = (a: Sale, b: Sale): number => a.shown.at - b.shown.at || a.id - b.id;

export function customerOf(book: Book, key: string): Customer {
  const known = book.customers.get(key);
  if (known !== undefined) return known;
  const created: Customer = {
    ...{ key, sales: [], evidence: [], binding: null, reason: "no_click", lead: null, place: null },
    ...{ left: new Set<number>(), importedFirstAt: null, spoiled: null },
  };
  book.customers.set(key, created);
  return created;
}

/** The currency or unit of a sale's commission. */
export const currencyOf = ({ commission: { policy }, shown }: Sale): string => policy?.unit?.code ?? shown.currency;

export const amountOf = ({ commission: { status, initial }, refunds, shown: { cents } }: Sale): number =>
  status === "rejected" || status === "void" ? 0 : halfUp(initial, cents - refunds.refunded(cents), cents);
