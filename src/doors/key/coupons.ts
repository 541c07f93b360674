import * as coupons from "#api/coupons.ts";
import { snakeCase } from "#domain/snake-case.ts";
import { body, created, createRoute, endpoint, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { withWarnings } from "#http/key-rotation.ts";
import { reply, warnings } from "#http/reply.ts";
import { inCamelCase, inSnakeCase, snakeInput, snakeSchema } from "#http/schema/camel-keys.ts";
import { newest } from "#http/schema/cursor.ts";
import { pathId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import type { CouponView } from "#store/views/coupons.ts";
import { changeBy, changeRefusals, readBy, readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";
import { listOf, listReply } from "./list.ts";

const { couponPages, couponRecord } = coupons;

const Reply = z.object({ data: snakeSchema(couponRecord.schema).openapi("Coupon"), ...warnings });
const replyOf = (coupon: CouponView) => ({ data: inSnakeCase(couponRecord.reply(coupon)) });

export const createCoupon = endpoint({
  route: createRoute({
    method: "post",
    path: "/me/coupons",
    operationId: "createCoupon",
    tags: ["Program"],
    summary: "Create a partner's coupon",
    description:
      "A sale with one of the codes attributes a new customer to the partner, unless the customer is already attributed by a click. Repeating the call returns 409 `coupon_taken`, which names the coupon.",
    ...withJsonBody(programKeyRequired("manage", "manage")),
    request: { body: body(snakeInput(coupons.newCoupon(snakeCase)).openapi("NewCoupon")) },
    responses: {
      ...created("Coupon created", Reply),
      ...changeRefusals("not_found", "coupon_taken", "never_valid", "cap_reached", "partner_erased"),
    },
  }),
  handler: async (c) => {
    const made = await changeBy(c, (by) => coupons.createCoupon(c, by, inCamelCase(c.req.valid("json"))));
    return made.ok ? c.json(withWarnings(c, replyOf(made.value)), 201) : refuse(c, made.refusal);
  },
});

export const listCoupons = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/coupons",
    operationId: "listCoupons",
    tags: ["Program"],
    summary: "List coupons",
    description: "Includes paused coupons.",
    ...programKeyRequired("keyedList", "manage"),
    request: {
      query: snakeInput(coupons.couponFilter(snakeCase)).extend({ cursor: couponPages.parameter("next_cursor") }),
    },
    responses: {
      ...returns(`Coupons, newest first, ${couponPages.size} per page`, listOf("Coupon", couponRecord.schema)),
      ...readRefusals("invalid_input"),
    },
  }),
  handler: async (c) => {
    const { cursor: { id: before } = newest, ...filter } = c.req.valid("query");
    const read = await readBy(c, ({ programId }) => coupons.readCoupons(c, programId, inCamelCase(filter), before));
    if (!read.ok) return refuse(c, read.refusal);
    return reply(c, listReply(read.value.page.map(couponRecord.reply), read.value.meta));
  },
});

export const updateCoupon = endpoint({
  route: createRoute({
    method: "patch",
    path: "/me/coupons/{couponId}",
    operationId: "updateCoupon",
    tags: ["Program"],
    summary: "Pause, resume or limit a coupon",
    description: "The partner and the codes of a coupon never change. Sales already attributed by it stay attributed.",
    ...withJsonBody(programKeyRequired("manage", "manage")),
    request: {
      params: z.object({ couponId: pathId("coupon", "Id of a coupon of the program.") }),
      body: body(snakeInput(coupons.couponChanges(snakeCase)).openapi("CouponChanges")),
    },
    responses: { ...returns("The updated coupon", Reply), ...changeRefusals("not_found", "never_valid") },
  }),
  handler: async (c) => {
    const { couponId } = c.req.valid("param");
    const changes = inCamelCase(c.req.valid("json"));
    const updated = await changeBy(c, (by) => coupons.updateCoupon(c, by, couponId, changes));
    return updated.ok ? reply(c, replyOf(updated.value)) : refuse(c, updated.refusal);
  },
});
