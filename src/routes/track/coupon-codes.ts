import { maxCouponsPerSale } from "#domain/coupons.ts";
import * as fields from "#http/schema/fields.ts";
import * as z from "#http/schema/zod.ts";

const countRule = `coupon_codes must be an array of at most ${maxCouponsPerSale} strings`;

/** What a customer entered, in the order sent: none but a coupon's code counts, and none is a fault. Blank ones are left out. */
export const couponCodes = fields.optional(
  z
    .array(fields.text("coupon_codes"), countRule)
    .max(maxCouponsPerSale, countRule)
    .transform((codes) => codes.map((code) => code.trim()).filter(Boolean)),
);
