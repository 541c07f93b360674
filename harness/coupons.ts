import { randomBytes } from "node:crypto";
import { couponKey } from "#domain/coupons.ts";
import { auditEntries } from "#store/schema/audit.ts";
import { couponCodes, coupons } from "#store/schema/coupons.ts";
import { db } from "./database-client.ts";

export interface CouponSettings {
  readonly codes: readonly string[];
  /** The index of the coupon's partner in the world. The default is the first partner. */
  readonly partner?: number;
  readonly status?: "active" | "paused";
  readonly validFrom?: number;
  readonly validUntil?: number;
}

interface Given {
  readonly programId: number;
  readonly partners: readonly { readonly partner: { readonly id: number } }[];
  newId(): number;
}

export const couponsOf = (all: readonly CouponSettings[], createdAt: number, given: Given) =>
  all.map((coupon) => couponOf(coupon, createdAt, given));

/**
 * A coupon with its entry in the audit trail, which the audit expects. The entry's negative id places it before all
 * entries that calls write.
 */
function couponOf({ codes, ...settings }: CouponSettings, createdAt: number, { programId, partners, newId }: Given) {
  const partnerId = partners[settings.partner ?? 0]?.partner.id ?? 0;
  const couponId = newId();
  const { status = "active", validFrom = null, validUntil = null } = settings;
  const terms = { partnerId, status, validFrom, validUntil };
  const operationId = randomBytes(8).toString("hex");
  const after = JSON.stringify({ couponId, codes, ...terms });
  const entry = { action: "coupon.created", subject: `coupon ${couponId}`, before: null, after };
  return {
    row: { id: couponId, partnerId },
    inserts: [
      db.insert(coupons).values({ id: couponId, programId, ...terms, createdAt }),
      ...codes.map((code, position) =>
        db.insert(couponCodes).values({ programId, codeKey: couponKey(code), code, couponId, position }),
      ),
      db
        .insert(auditEntries)
        .values({ id: -newId(), programId, operationId, actorId: "somebody", ...entry, createdAt }),
    ],
  };
}
