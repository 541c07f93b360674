import { caps } from "#domain/caps.ts";
import { couponKey, isNeverValid } from "#domain/coupons.ts";
import type { CouponId, PartnerId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import {
  couponCount,
  insertCoupon,
  insertCouponCode,
  type NewSettings,
  settingsOf,
  takenCodes,
} from "#store/coupons.ts";
import { codesOfOffers } from "#store/offers.ts";
import { partnerOfProgram } from "#store/partners.ts";
import { couponsLock } from "../locks.ts";
import { acting, auditedChange, isArchived, type KeyedChangeCall, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface CreateCouponCall extends KeyedChangeCall, NewSettings {
  readonly kind: "create-coupon";
  /** 1 to 3 codes with different values of `couponKey`. */
  readonly codes: readonly string[];
  readonly partnerId: PartnerId;
}

export interface CouponCreated {
  readonly couponId: CouponId;
}

function gather({ operationId, programId, partnerId, codes }: CreateCouponCall) {
  const codeKeys = JSON.stringify(codes.map(couponKey));
  return {
    done: auditOfOperation({ operationId }),
    partner: partnerOfProgram({ programId, id: partnerId }),
    taken: takenCodes({ programId, codeKeys }),
    offered: codesOfOffers({ programId, codeKeys }),
    coupons: couponCount({ programId }),
  };
}

export const createCoupon: Operation<CreateCouponCall, ReturnType<typeof gather>, CouponCreated> = {
  kind: "create-coupon",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [couponsLock(programId)] }),

  decide(call, { done, partner, taken, offered, coupons }, context) {
    const { programId, partnerId, codes, at } = call;
    if (done?.after != null) {
      const { couponId } = JSON.parse(done.after) as CouponCreated;
      return noChange(programId, { couponId });
    }
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (partner === undefined) return refuse(notFound("partner"));
    if (partner.erasureId !== null) return refuse({ code: "partner_erased" });
    const [first = offered[0]] = taken;
    if (first !== undefined) return refuse({ code: "coupon_taken", coupon: first });
    if (coupons >= caps.coupons.max) return refuse({ code: "cap_reached", cap: "coupons" });
    const settings = settingsOf(call);
    if (isNeverValid(settings)) return refuse({ code: "never_valid" });
    const couponId = context.newId("coupons");
    const terms = { partnerId, ...settings };
    const writes = [
      insertCoupon({ id: couponId, programId, ...terms, createdAt: at }),
      ...codes.map((code, position) =>
        insertCouponCode({ programId, codeKey: couponKey(code), code, couponId, position }),
      ),
    ];
    const subject = `coupon ${couponId}`;
    const after = { couponId, codes, ...terms };
    const change = { programId, action: "coupon.created", subject, before: null, after };
    return auditedChange(acting(call, context.settings), change, { writes, answer: { couponId } }, context);
  },
};
