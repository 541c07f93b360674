import type { CouponId, PartnerId } from "./ids.ts";

/** A coupon can't attribute a customer who has left this many partners. So a sale can remember all of them. */
export const mostPartnersLeft = 20;

export const maxCodesPerCoupon = 3;
export const maxCouponsPerSale = 10;
const maxCodeCharacters = 64;

/** Codes with one key are one code: they differ only in case, or in the Unicode form of their letters. */
export const couponKey = (code: string): string => code.normalize("NFKC").toLowerCase().toUpperCase().normalize("NFKC");

const visible = /^[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+$/u;

/** Readable and typable: 1 to 64 printable characters without spaces. */
export const isCouponCode = (text: string): boolean => visible.test(text) && [...text].length <= maxCodeCharacters;

export interface CouponTerms {
  readonly isActive: boolean;
  readonly isPartnerActive: boolean;
  readonly validFrom: number | null;
  readonly validUntil: number | null;
}

export const isNeverValid = ({ validFrom, validUntil }: Pick<CouponTerms, "validFrom" | "validUntil">): boolean =>
  validFrom !== null && validUntil !== null && validFrom > validUntil;

/** The validity of a coupon, as judged when its sale was recorded. */
type CouponState = "valid" | "paused" | "not_valid_then" | "unknown";

/** A coupon sent with a sale. An unknown one has no partner. */
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

/** The status counts at the decision, the validity at the sale. */
export function couponState(
  { isActive, isPartnerActive, validFrom, validUntil }: CouponTerms,
  occurredAt: number,
): KnownCoupon["state"] {
  if (!isActive || !isPartnerActive) return "paused";
  const isThen = occurredAt >= (validFrom ?? occurredAt) && occurredAt <= (validUntil ?? occurredAt);
  return isThen ? "valid" : "not_valid_then";
}

/** `coupons`: JSON of the coupons sent with a sale. */
export const couponsOf = (coupons: string | null): readonly SaleCoupon[] =>
  coupons === null ? [] : (JSON.parse(coupons) as SaleCoupon[]);

const isValid = (coupon: SaleCoupon): coupon is KnownCoupon => coupon.state === "valid";

/** The first valid coupon: only this one may decide the sale's partner. */
export const countingCoupon = (coupons: readonly SaleCoupon[]): KnownCoupon | undefined => coupons.find(isValid);

/** Includes coupons that don't count. */
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
  /** The partner credited with the sale. */
  readonly partnerId: PartnerId | null;
  /** The customer, who is unattributed, had bought before this sale. */
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
