import {
  countingCoupon,
  couponKey,
  couponState,
  couponsOf,
  isCouponCode,
  mostPartnersLeft,
  type SaleCoupon,
} from "#domain/coupons.ts";
import { candidatesOfSale } from "#domain/explain/frozen.ts";
import type { CustomerId } from "#domain/ids.ts";
import { type CouponOfCode, couponsByCodes, couponsByIds, type FormerPartners } from "#store/coupons.ts";
import type { CustomerRow } from "#store/customers.ts";
import { type Deciding, type Decision, retryWith } from "../operation.ts";
import type { Credit, NoCredit } from "./commission-for-sale.ts";
import { attributedDirectly, decidedCredit, isOpenCoupon, riskOfLink } from "./customer.ts";
import type { ResolvedCustomer } from "./resolve-customer.ts";

/**
 * The coupons of a sale. For a correction, `coupons` is the JSON stored with the corrected sale. Each coupon then keeps
 * its stored result, except that its validity is checked again at the sale's new instant.
 */
interface WithCoupons {
  readonly couponCodes?: readonly string[] | undefined;
  readonly coupons: string | null;
  readonly occurredAt: number;
  readonly corrects?: { readonly occurredAt: number };
}

export const couponCodesOf = ({ couponCodes = [], coupons }: WithCoupons): readonly string[] =>
  coupons === null ? couponCodes : couponsOf(coupons).map(({ code }) => code);

export function readCoupons(call: WithCoupons, programId: number) {
  if (call.coupons !== null) return readCouponsAgain(couponsOf(call.coupons), programId);
  const codes = couponCodesOf(call).filter(isCouponCode);
  return codes.length === 0
    ? undefined
    : couponsByCodes({ programId, codeKeys: JSON.stringify([...new Set(codes.map(couponKey))]) });
}

/** Looks coupons up by id, because an erasure of the customer deletes the codes stored with a sale. */
function readCouponsAgain(coupons: readonly SaleCoupon[], programId: number) {
  const ids = coupons.flatMap((coupon) => (coupon.state === "unknown" ? [] : [coupon.couponId]));
  return ids.length === 0 ? undefined : couponsByIds({ programId, couponIds: JSON.stringify([...new Set(ids)]) });
}

export interface CouponsOfSale {
  readonly all: readonly SaleCoupon[];
  /** The first valid coupon of the sale. */
  readonly counting: CouponOfCode | undefined;
}

export function couponsOfSale(call: WithCoupons, found: readonly CouponOfCode[] = []): CouponsOfSale {
  const all = call.coupons === null ? judged(call, found) : judgedAgain(call, found);
  const first = countingCoupon(all);
  return { all, counting: found.find(({ couponId }) => couponId === first?.couponId) };
}

const judged = ({ couponCodes = [], occurredAt }: WithCoupons, found: readonly CouponOfCode[]) =>
  couponCodes.map((code): SaleCoupon => {
    const coupon = found.find(({ codeKey }) => codeKey === couponKey(code));
    if (coupon === undefined) return { code, state: "unknown" };
    const { couponId, partnerId, partnerCode } = coupon;
    return { code, couponId, partnerId, partnerCode, state: couponState(coupon, occurredAt) };
  });

function judgedAgain({ coupons, corrects, occurredAt }: WithCoupons, found: readonly CouponOfCode[]) {
  const all = couponsOf(coupons);
  if (corrects?.occurredAt === occurredAt) return all;
  return all.map((coupon): SaleCoupon => {
    if (coupon.state === "unknown" || coupon.state === "paused") return coupon;
    const terms = found.find(({ couponId }) => couponId === coupon.couponId);
    const active = { isActive: true, isPartnerActive: true };
    return terms === undefined ? coupon : { ...coupon, state: couponState({ ...terms, ...active }, occurredAt) };
  });
}

/** A further read that `fallBackOn` requests: it must know which partners the customer was attributed to before. */
export interface MoreOfCoupon {
  readonly formerPartnersOf: CustomerId;
}

export interface Fallback {
  readonly resolved: ResolvedCustomer;
  readonly credit: Credit | NoCredit;
}

interface UncreditedSale {
  readonly resolved: ResolvedCustomer;
  readonly credit: NoCredit;
  readonly occurredAt: number;
  /** The instant (ms) of the customer's first sale among those reported before this one. */
  readonly firstSaleAt: number | null;
  /** True if this sale replaces a corrected sale. */
  readonly isCorrection: boolean;
}

/**
 * Credits an unattributed sale to the partner of its first valid coupon, and attributes the customer to that partner.
 * This requires that the customer hasn't bought before and that their attribution isn't final. Among several sales with
 * coupons, the earliest decides. A coupon never attributes a customer to one of their former partners again.
 */
export function fallBackOn(
  coupon: CouponOfCode,
  { resolved, credit, occurredAt, firstSaleAt, isCorrection }: UncreditedSale,
  former: FormerPartners | undefined,
  { at }: Deciding,
): Fallback | Decision<never, MoreOfCoupon> {
  const { customer, known } = resolved;
  if (!mayBind(customer, coupon)) return { resolved, credit };
  const hasBought = firstSaleAt !== null && firstSaleAt <= occurredAt;
  if (hasBought) {
    const judged = candidatesOfSale(consideredBy(credit), resolved.judged);
    return { resolved: { ...resolved, judged }, credit: { reason: "existing_customer" } };
  }
  const { partnerId, partnerCode: code, linkId, isPartnerActive: isActive } = coupon;
  const isNew = customer.partnerId !== partnerId;
  if (known !== undefined && (known.firstSaleAt !== null || isCorrection) && isNew) {
    if (former?.customerId !== known.id) return retryWith({ formerPartnersOf: known.id });
    if (former.partnerIds.length >= mostPartnersLeft || former.partnerIds.includes(partnerId))
      return { resolved, credit };
  }
  const attribution = { source: "coupon", link: { id: linkId, partnerId }, since: occurredAt, at } as const;
  const bound = attributedDirectly(customer, attribution);
  const partner = { code, isActive, risk: riskOfLink(coupon, known, null) };
  return {
    resolved: { ...resolved, customer: bound, partner, judged: [], isBoundByCoupon: true },
    credit: decidedCredit(bound, partner) ?? credit,
  };
}

/**
 * The click that was considered for a sale. It is stored if the sale's coupon is rejected because the customer had
 * bought before.
 */
const consideredBy = ({ considered, clickAgeDays, windowDays, reason }: NoCredit) => ({
  click: null,
  partner: null,
  reason,
  clickAgeDays: clickAgeDays ?? null,
  windowDays: windowDays ?? null,
  considered:
    considered === undefined
      ? null
      : { click: { id: considered.clickId, at: considered.clickAt }, partner: considered.partner },
});

/**
 * True if a coupon may attribute the customer. It may replace an attribution by another coupon while this attribution
 * isn't final, or if the partner stays the same. It may replace an attribution by a click only if no sale has been
 * attributed yet.
 */
const mayBind = (customer: CustomerRow, { partnerId }: CouponOfCode): boolean =>
  customer.source === "coupon"
    ? isOpenCoupon(customer) || customer.partnerId === partnerId
    : customer.partnerId === null || (customer.source === "click" && customer.firstAttributedSaleAt === null);
