import {
  type Discount,
  type ExpandableDiscount,
  type Invoice,
  idOf,
  type Session,
  type SessionDiscount,
} from "./objects.ts";

const maxCodes = 10;
const maxCharacters = 64;

export const codesOfSession = ({ discounts }: Session): readonly string[] => codesOf(discounts ?? []);

export const codesOfInvoice = (invoice: Invoice): readonly string[] => codesOf(discountsOf(invoice));

/** True if Stripe may have a code that the invoice's event doesn't contain. */
export const hasHiddenCodes = (invoice: Invoice): boolean =>
  discountsOf(invoice).some((discount) => !isExpanded(discount) || typeof discount.promotion_code === "string");

/**
 * The first source is the one whose codes are most often present, so that two events of one payment give the same
 * order.
 */
const discountsOf = ({ total_discount_amounts: amounts, discounts, lines, discount }: Invoice) => [
  ...(amounts ?? []).map((total) => total.discount),
  ...(discounts ?? []),
  ...(lines?.data ?? []).flatMap((line) => line.discounts ?? []),
  ...(discount ? [discount] : []),
];

const isExpanded = (discount: ExpandableDiscount | SessionDiscount): discount is Discount & SessionDiscount =>
  typeof discount === "object" && discount !== null;

/**
 * Returns the codes of each discount: the promotion code that customers enter, if the object contains it, the promotion
 * code's id, and the coupon's id.
 */
function codesOf(discounts: readonly (ExpandableDiscount | SessionDiscount)[]): readonly string[] {
  const codes = discounts.filter(isExpanded).flatMap(({ promotion_code: code, coupon, source }) => {
    const ofCoupon = idOf(coupon) ?? idOf(source?.coupon);
    const promoted = typeof code === "string" ? [code] : code ? [code.code, code.id] : [];
    return ofCoupon ? [...promoted, ofCoupon] : promoted;
  });
  return joined(codes);
}

/** Returns each code once, without texts that can't be a coupon's code. */
export const joined = (...codes: readonly (readonly string[])[]): readonly string[] =>
  [...new Set(codes.flat())].filter((code) => code.length <= maxCharacters).slice(0, maxCodes);
