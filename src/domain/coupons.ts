import type { CouponId, PartnerId } from "./ids.ts";

/**
 * A customer who was moved away from this many partners can't be attributed to a further one by a coupon. The limit
 * lets a sale store all partners that its customer had before.
 */
export const mostPartnersLeft = 20;

export const maxCodesPerCoupon = 3;
export const maxCouponsPerSale = 10;
export const maxCodeCharacters = 64;

/** The key by which codes are compared. Codes with the same key differ only in case or in Unicode form. */
export const couponKey = (code: string): string => code.normalize("NFKC").toLowerCase().toUpperCase().normalize("NFKC");

const visible = /^[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+$/u;

/** True for 1 to 64 printable characters without spaces. */
export const isCouponCode = (text: string): boolean => visible.test(text) && [...text].length <= maxCodeCharacters;

export interface CouponTerms {
  readonly isActive: boolean;
  readonly isPartnerActive: boolean;
  readonly validFrom: number | null;
  readonly validUntil: number | null;
}

export const isNeverValid = ({ validFrom, validUntil }: Pick<CouponTerms, "validFrom" | "validUntil">): boolean =>
  validFrom !== null && validUntil !== null && validFrom > validUntil;

/** The validity of a coupon when its sale was recorded. */
type CouponState = "valid" | "paused" | "not_valid_then" | "unknown";

/** A coupon that was sent with a sale. An unknown coupon has no partner. */
export type SaleCoupon = { readonly code: string } & (
  | { readonly state: "unknown" }
  | {
      readonly state: Exclude<CouponState, "unknown">;
      readonly couponId: CouponId;
      readonly partnerId: PartnerId;
      readonly partnerCode: string;
    }
);
type KnownCoupon = Exclude<SaleCoupon, { state: "unknown" }>;

/** Returns `paused` if the coupon is paused now, and otherwise if it was valid at the instant of the sale. */
export function couponState(
  { isActive, isPartnerActive, validFrom, validUntil }: CouponTerms,
  occurredAt: number,
): KnownCoupon["state"] {
  if (!isActive || !isPartnerActive) return "paused";
  const isThen = occurredAt >= (validFrom ?? occurredAt) && occurredAt <= (validUntil ?? occurredAt);
  return isThen ? "valid" : "not_valid_then";
}

/** Parses the JSON of the coupons sent with a sale. */
export const couponsOf = (coupons: string | null): readonly SaleCoupon[] =>
  coupons === null ? [] : (JSON.parse(coupons) as SaleCoupon[]);

const isValid = (coupon: SaleCoupon): coupon is KnownCoupon => coupon.state === "valid";

/** The first valid coupon. No other coupon can decide the sale's partner. */
export const countingCoupon = (coupons: readonly SaleCoupon[]): KnownCoupon | undefined => coupons.find(isValid);

/** True if the sale has a valid coupon of the partner, even if it isn't the first valid one. */
export const hasCouponOf = (coupons: readonly SaleCoupon[], partnerId: PartnerId): boolean =>
  coupons.some((coupon) => isValid(coupon) && coupon.partnerId === partnerId);

export const couponOutcomes = [
  "chosen",
  "outranked",
  "other_coupon",
  "paused",
  "not_valid_then",
  "existing_customer",
  "unknown",
] as const;
export type CouponOutcome = (typeof couponOutcomes)[number];

export interface JudgedCoupon {
  readonly code: string;
  readonly partnerCode: string | null;
  readonly outcome: CouponOutcome;
}

export interface SaleOutcome {
  /** The partner credited with the sale. Null if it is unattributed. */
  readonly partnerId: PartnerId | null;
  /** True if the customer is unattributed and had bought before this sale. */
  readonly hasBought: boolean;
}

export function judgeCoupons(coupons: readonly SaleCoupon[], sale: SaleOutcome): readonly JudgedCoupon[] {
  const counting = countingCoupon(coupons);
  return coupons.map((coupon) => ({
    code: coupon.code,
    partnerCode: coupon.state === "unknown" ? null : coupon.partnerCode,
    outcome: outcomeOf(coupon, counting, sale),
  }));
}

function outcomeOf(
  coupon: SaleCoupon,
  counting: KnownCoupon | undefined,
  { partnerId, hasBought }: SaleOutcome,
): CouponOutcome {
  if (!isValid(coupon)) return coupon.state;
  if (coupon.couponId !== counting?.couponId) return "other_coupon";
  if (partnerId === coupon.partnerId) return "chosen";
  return hasBought ? "existing_customer" : "outranked";
}
