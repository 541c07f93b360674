import { isNeverValid } from "#domain/coupons.ts";
import type { CouponId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { type CouponSettings, couponOfProgram, settingsOf, updateCoupon as updateRow } from "#store/coupons.ts";
import { couponsLock } from "../locks.ts";
import {
  acting,
  auditedChange,
  diff,
  isArchived,
  type KeyedChangeCall,
  noChange,
  type Patch,
} from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface UpdateCouponCall extends KeyedChangeCall {
  readonly kind: "update-coupon";
  readonly couponId: CouponId;
  readonly changes: Patch<CouponSettings>;
}

const gather = ({ operationId, programId, couponId }: UpdateCouponCall) => ({
  done: auditOfOperation({ operationId }),
  coupon: couponOfProgram({ programId, id: couponId }),
});

export const updateCoupon: Operation<UpdateCouponCall, ReturnType<typeof gather>, undefined> = {
  kind: "update-coupon",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [couponsLock(programId)] }),

  decide(call, { done, coupon }, context) {
    const { programId, couponId, changes } = call;
    if (coupon === undefined) return refuse(notFound("coupon"));
    const changed = diff(settingsOf(coupon), changes);
    if (done !== undefined || changed === undefined) return noChange(programId, undefined);
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const { row, before, after } = changed;
    if (isNeverValid(row)) return refuse({ code: "never_valid" });
    const change = { programId, action: "coupon.updated", subject: `coupon ${couponId}`, before, after };
    const effect = { writes: [updateRow({ id: couponId, ...row })], answer: undefined };
    return auditedChange(acting(call, context.settings), change, effect, context);
  },
};
