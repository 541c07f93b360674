import type { CallOptions, Optional } from "../inputs.ts";
import type { Failure, Success } from "../results.ts";
import type { List, PageFilter } from "./lists.ts";

interface CouponTerms {
  /** `paused`: the coupon doesn't count for sales that are recorded from now on. Default for a new coupon: `active`. */
  readonly status?: "active" | "paused" | undefined;
  /**
   * The coupon counts for sales from this instant on. A string is ISO 8601 with an offset. Null: without a beginning.
   */
  readonly validFrom?: Optional<Date | string>;
  /** The coupon counts for sales up to this instant. Null: without an end. */
  readonly validUntil?: Optional<Date | string>;
}

/** The names of the fields in `CouponTerms`. */
export const couponTerms = "status validFrom validUntil";

/** A partner's coupon. Coupons are live: a test key can't create them. */
export interface CouponInput extends CouponTerms {
  /**
   * 1 to 3 codes, such as the code that customers enter and its id at the payment processor. Each has 1 to 64 printable
   * characters without spaces, and is unique in the program, ignoring case. Codes never change.
   */
  readonly codes: readonly string[];
  /** The coupon's partner, which never changes. */
  readonly partnerId: number;
}

/** Absent or undefined fields stay unchanged. */
export type CouponChanges = CouponTerms;

export interface CouponFilter extends PageFilter {
  readonly partnerId?: Optional<number>;
  /** Lists only the coupon with this code, ignoring case. */
  readonly code?: Optional<string>;
  readonly status?: Optional<Coupon["status"]>;
}

/** Times are ISO 8601. */
export interface Coupon {
  readonly id: number;
  readonly codes: readonly string[];
  readonly partnerId: number;
  readonly partnerCode: string;
  readonly partnerName: string;
  readonly status: "active" | "paused";
  readonly validFrom: string | null;
  readonly validUntil: string | null;
  readonly createdAt: string;
}

export type CouponResult = Success<Coupon> | Failure;

export interface Coupons extends List<Coupon, CouponFilter> {
  /**
   * Creates a coupon: status 201. If one of its codes is taken, the coupon is refused with 409, and `details.code` is
   * `coupon_taken`. The call is sent only once: after a lost response, a repeat would be refused, because the first
   * attempt created the coupon.
   */
  create(coupon: CouponInput, options?: CallOptions): Promise<CouponResult>;
  /** Pauses or resumes a coupon, or changes when it is valid. Earlier attributions by the coupon stay. */
  update(couponId: number, changes: CouponChanges, options?: CallOptions): Promise<CouponResult>;
}
