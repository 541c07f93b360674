import { couponCodes, couponPartner, couponValidity, createCoupon as createIn } from "#api/coupons.ts";
import { activeStatuses } from "#domain/program-status.ts";
import {
  body,
  bodyRefusals,
  commonRefusals,
  created,
  createRoute,
  endpoint,
  keyRefusals,
  refusals,
  refuse,
  withJsonBody,
} from "#http/endpoint.ts";
import { withWarnings } from "#http/key-rotation.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { changeByKey } from "../change-by-key.ts";
import { checkedKey } from "../checked-key.ts";
import { programKeyRequired } from "../guards.ts";
import { CouponReply, couponOf } from "./coupon.ts";

const NewCoupon = z
  .object({
    codes: couponCodes(),
    partner_id: couponPartner("partner_id"),
    valid_from: couponValidity("valid_from", "from"),
    valid_until: couponValidity("valid_until", "until"),
    status: fields.omittable(fields.oneOf("status", activeStatuses)).describe("Defaults to `active`."),
  })
  .openapi("NewCoupon");

export const createCoupon = endpoint({
  route: createRoute({
    method: "post",
    path: "/me/coupons",
    operationId: "createCoupon",
    tags: ["Program"],
    summary: "Create a partner's coupon",
    description:
      "A sale that comes with one of its codes belongs to the partner, if no click has brought the customer. The same call " +
      "again is refused with 409 `coupon_taken`, which names the coupon.",
    ...withJsonBody(programKeyRequired("manage", "manage")),
    request: { body: body(NewCoupon) },
    responses: {
      ...created("Coupon created", CouponReply),
      ...refusals([
        ...(["missing_key", ...keyRefusals, ...bodyRefusals] as const),
        ...(["not_found", "coupon_taken", "never_valid", "cap_reached", "partner_erased"] as const),
        ...commonRefusals,
      ]),
    },
  }),
  handler: async (c) => {
    const checked = await checkedKey(c, c.get("key"));
    if (!checked.ok) return refuse(c, checked.refusal);
    const { codes, partner_id: partnerId, status = "active", ...valid } = c.req.valid("json");
    const { call } = changeByKey(c, c.get("key"));
    const terms = { codes, partnerId, status, validFrom: valid.valid_from, validUntil: valid.valid_until };
    const made = await createIn(c, { ...call, kind: "create-coupon", ...terms });
    return made.ok ? c.json(withWarnings(c, couponOf(made.value)), 201) : refuse(c, made.refusal);
  },
});
