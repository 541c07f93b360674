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
    /** The earliest sale (`occurred_at`) for which the coupon counts. Null: no limit. */
    validFrom: instant("valid_from"),
    /** The end of validity. Null: the coupon doesn't expire. */
    validUntil: instant("valid_until"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    index("coupons_program").on(t.programId),
    index("coupons_partner").on(t.partnerId),
    index("coupons_status").on(t.programId, t.status),
    index("coupons_partner_status").on(t.partnerId, t.status),
    check("coupons_status", oneOf(t.status, activeStatuses)),
    check("coupons_valid", sql`${t.validFrom} <= ${t.validUntil}`),
  ],
);

/** Append-only: rows are never updated or deleted. */
export const couponCodes = sqliteTable(
  "coupon_codes",
  {
    programId: programId(),
    /** The normalized code. It is unique within the program. */
    codeKey: text("code_key").notNull(),
    /** The code as a member entered it. */
    code: text("code").notNull(),
    couponId: integer("coupon_id")
      .$type<CouponId>()
      .notNull()
      .references(() => coupons.id),
    /** Position among the codes of the coupon, from 0. */
    position: integer("position").notNull(),
  },
  (t) => [primaryKey({ columns: [t.programId, t.codeKey] }), index("coupon_codes_coupon").on(t.couponId, t.position)],
);
