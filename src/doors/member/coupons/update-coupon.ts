import { changedValidity, updateCoupon as updateIn } from "#api/coupons.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { body, createRoute, endpoint, ok, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { CouponPath } from "../params.ts";
import { couponRecord } from "./coupon-record.ts";

const CouponChanges = z
  .object({
    status: fields.omittable(fields.oneOf("status", activeStatuses)),
    validFrom: changedValidity("validFrom", "from"),
    validUntil: changedValidity("validUntil", "until"),
  })
  .openapi("CouponChanges");

export const updateCoupon = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/coupons/{couponId}",
    operationId: "updateCoupon",
    tags: ["Management"],
    summary: "Pause, resume or limit a coupon",
    description: "Its partner and its codes never change. What was decided by it stays.",
    ...withJsonBody(programMember("admin")),
    request: { params: CouponPath, body: body(CouponChanges) },
    responses: {
      ...ok("The updated coupon", z.object({ data: couponRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "never_valid", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const couponId = readId(c.req.valid("param").couponId);
    const changes = c.req.valid("json");
    const updated = await updateIn(c, { ...actingMember(c), kind: "update-coupon", couponId, changes });
    return updated.ok ? c.json({ data: couponRecord.reply(updated.value) }, 200) : refuse(c, updated.refusal);
  },
});
