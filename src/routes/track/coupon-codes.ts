import { maxCouponsPerSale } from "#domain/coupons.ts";
import * as fields from "#http/schema/fields.ts";
import * as z from "#http/schema/zod.ts";

const countRule = `coupon_codes must be an array of at most ${maxCouponsPerSale} strings`;

/**
 * Texts entered by a customer, in the order sent: only a coupon's code counts, and no text is an error. Blank ones are
 * omitted.
 */
export const couponCodes = fields.optional(
  z
    .array(fields.text("coupon_codes"), countRule)
    .max(maxCouponsPerSale, countRule)
    .transform((codes) => codes.map((code) => code.trim()).filter(Boolean)),
);
