import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { CouponId, PartnerId } from "#domain/ids.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { id, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { programId } from "./programs.ts";

export const coupons = sqliteTable(
  "coupons",
  {
    id: id<CouponId>(),
    programId: programId(),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .notNull()
      .references(() => partners.id),
    status: text("status", { enum: activeStatuses }).notNull(),
    /** The sale's instant must not be earlier. Null: no beginning. */
    validFrom: instant("valid_from"),
    /** Null: without an end. */
    validUntil: instant("valid_until"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    index("coupons_program").on(t.programId),
    index("coupons_partner").on(t.partnerId),
    check("coupons_status", oneOf(t.status, activeStatuses)),
    check("coupons_valid", sql`${t.validFrom} <= ${t.validUntil}`),
  ],
);

/** Never changed. */
export const couponCodes = sqliteTable(
  "coupon_codes",
  {
    programId: programId(),
    /** Unique within the program. */
    codeKey: text("code_key").notNull(),
    /** As entered. */
    code: text("code").notNull(),
    couponId: integer("coupon_id")
      .$type<CouponId>()
      .notNull()
      .references(() => coupons.id),
    /** Position among the coupon's codes, from 0. */
    position: integer("position").notNull(),
  },
  (t) => [primaryKey({ columns: [t.programId, t.codeKey] }), index("coupon_codes_coupon").on(t.couponId, t.position)],
);
