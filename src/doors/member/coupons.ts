import * as coupons from "#api/coupons.ts";
import { caps } from "#domain/caps.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { newest, PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { asNamed, CouponPath, ProgramPath } from "./params.ts";

const { couponPages, couponRecord } = coupons;

const Reply = z.object({ data: couponRecord.schema });

export const createCoupon = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/coupons",
    operationId: "createCoupon",
    tags: ["Management"],
    summary: "Create a partner's coupon",
    description:
      "A sale with one of the codes attributes a new customer to the partner, unless the customer is already attributed " +
      `by a click. A program can have ${caps.coupons.max.toLocaleString("en-US")} coupons.`,
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(coupons.newCoupon(asNamed).openapi("NewCoupon")) },
    responses: {
      ...created("Coupon created", Reply),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        "coupon_taken",
        "never_valid",
        "cap_reached",
        "partner_erased",
        "program_archived",
      ]),
    },
  }),
  handler: async (c) => {
    const made = await coupons.createCoupon(c, actingMember(c), c.req.valid("json"));
    return made.ok ? c.json({ data: couponRecord.reply(made.value) }, 201) : refuse(c, made.refusal);
  },
});

export const listCoupons = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/coupons",
    operationId: "listCoupons",
    tags: ["Management"],
    summary: "List coupons",
    description: "Includes paused coupons.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: coupons.couponFilter(asNamed).extend({ cursor: couponPages.parameter() }) },
    responses: {
      ...returns(
        `Coupons, newest first, ${couponPages.size} per page`,
        z.object({ data: z.array(couponRecord.schema), meta: PageMeta }),
      ),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { cursor: { id: before } = newest, ...filter } = c.req.valid("query");
    const found = await coupons.readCoupons(c, c.get("program").id, filter, before);
    if (!found.ok) return refuse(c, found.refusal);
    return c.json({ data: found.value.page.map(couponRecord.reply), meta: found.value.meta }, 200);
  },
});

export const updateCoupon = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/coupons/{couponId}",
    operationId: "updateCoupon",
    tags: ["Management"],
    summary: "Pause, resume or limit a coupon",
    description: "The partner and the codes of a coupon never change. Sales already attributed by it stay attributed.",
    ...withJsonBody(programMember("admin")),
    request: { params: CouponPath, body: body(coupons.couponChanges(asNamed).openapi("CouponChanges")) },
    responses: {
      ...returns("The updated coupon", Reply),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "never_valid", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { couponId } = c.req.valid("param");
    const updated = await coupons.updateCoupon(c, actingMember(c), couponId, c.req.valid("json"));
    return updated.ok ? c.json({ data: couponRecord.reply(updated.value) }, 200) : refuse(c, updated.refusal);
  },
});
