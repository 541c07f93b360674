import { couponCodes, couponPartner, couponValidity, createCoupon as createIn } from "#api/coupons.ts";
import { caps } from "#domain/caps.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { couponRecord } from "./coupon-record.ts";

const NewCoupon = z
  .object({
    codes: couponCodes(),
    partnerId: couponPartner("partnerId"),
    validFrom: couponValidity("validFrom", "from"),
    validUntil: couponValidity("validUntil", "until"),
    status: fields.omittable(fields.oneOf("status", activeStatuses)).describe("Defaults to `active`."),
  })
  .openapi("NewCoupon");

export const createCoupon = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/coupons",
    operationId: "createCoupon",
    tags: ["Management"],
    summary: "Create a partner's coupon",
    description:
      "A sale that comes with one of its codes belongs to the partner, if no click has brought the customer. A program can " +
      `have ${caps.coupons.max.toLocaleString("en-US")} coupons.`,
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewCoupon) },
    responses: {
      ...created("Coupon created", z.object({ data: couponRecord.schema })),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        ...(["coupon_taken", "never_valid", "cap_reached", "partner_erased", "program_archived"] as const),
      ]),
    },
  }),
  handler: async (c) => {
    const { status = "active", ...coupon } = c.req.valid("json");
    const made = await createIn(c, { ...actingMember(c), kind: "create-coupon", ...coupon, status });
    return made.ok ? c.json({ data: couponRecord.reply(made.value) }, 201) : refuse(c, made.refusal);
  },
});
