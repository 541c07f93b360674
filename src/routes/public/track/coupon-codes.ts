import { maxCouponsPerSale } from "#domain/coupons.ts";
import * as fields from "#http/schema/fields.ts";
import * as z from "#http/schema/zod.ts";

const countRule = `coupon_codes must be an array of at most ${maxCouponsPerSale} strings`;

/** In the order sent. Without the white space around them, as a customer may have entered them. */
export const couponCodes = fields.optional(
  z
    .array(
      fields.callerId("coupon_codes", 64).transform((code) => code.trim()),
      countRule,
    )
    .max(maxCouponsPerSale, countRule),
);
