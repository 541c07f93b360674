import { warnings } from "#http/reply.ts";
import { inSnakeCase, snakeSchema } from "#http/schema/camel-keys.ts";
import * as z from "#http/schema/zod.ts";
import type { CouponView } from "#store/views/coupons.ts";
import { couponRecord } from "../../member/coupons/coupon-record.ts";

export const CouponReply = z.object({ data: snakeSchema(couponRecord.schema).openapi("Coupon"), ...warnings });

export const couponOf = (coupon: CouponView) => ({ data: inSnakeCase(couponRecord.reply(coupon)) });
