import { maxCouponsPerSale } from "#domain/coupons.ts";
import * as fields from "#http/schema/fields.ts";
import * as z from "#http/schema/zod.ts";

const countRule = `coupon_codes must be an array of at most ${maxCouponsPerSale} strings`;

/**
 * Texts that a customer entered, in the order sent. Blank ones are removed. Any text is valid, but only a coupon's code
 * has an effect.
 */
export const couponCodes = fields.optional(
  z
    .array(fields.text("coupon_codes"), countRule)
    .max(maxCouponsPerSale, countRule)
    .transform((codes) => codes.map((code) => code.trim()).filter(Boolean)),
);
