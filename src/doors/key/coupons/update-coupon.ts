import { changedValidity, updateCoupon as updateIn } from "#api/coupons.ts";
import { activeStatuses } from "#domain/program-status.ts";
import {
  body,
  bodyRefusals,
  commonRefusals,
  createRoute,
  endpoint,
  keyRefusals,
  ok,
  refusals,
  refuse,
  withJsonBody,
} from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { changeByKey } from "../change-by-key.ts";
import { checkedKey } from "../checked-key.ts";
import { programKeyRequired } from "../guards.ts";
import { CouponReply, couponOf } from "./coupon.ts";

const CouponChanges = z
  .object({
    status: fields.omittable(fields.oneOf("status", activeStatuses)),
    valid_from: changedValidity("valid_from", "from"),
    valid_until: changedValidity("valid_until", "until"),
  })
  .openapi("CouponChanges");

export const updateCoupon = endpoint({
  route: createRoute({
    method: "patch",
    path: "/me/coupons/{couponId}",
    operationId: "updateCoupon",
    tags: ["Program"],
    summary: "Pause, resume or limit a coupon",
    description: "Its partner and its codes never change. What was decided by it stays.",
    ...withJsonBody(programKeyRequired("manage", "manage")),
    request: {
      params: z.object({ couponId: z.string().describe("Id of a coupon of the program.") }),
      body: body(CouponChanges),
    },
    responses: {
      ...ok("The updated coupon", CouponReply),
      ...refusals([
        ...(["missing_key", ...keyRefusals, ...bodyRefusals] as const),
        ...(["not_found", "never_valid"] as const),
        ...commonRefusals,
      ]),
    },
  }),
  handler: async (c) => {
    const checked = await checkedKey(c, c.get("key"));
    if (!checked.ok) return refuse(c, checked.refusal);
    const couponId = readId(c.req.valid("param").couponId);
    const { status, valid_from: validFrom, valid_until: validUntil } = c.req.valid("json");
    const { call } = changeByKey(c, c.get("key"));
    const changes = { status, validFrom, validUntil };
    const updated = await updateIn(c, { ...call, kind: "update-coupon", couponId, changes });
    return updated.ok ? reply(c, couponOf(updated.value)) : refuse(c, updated.refusal);
  },
});
