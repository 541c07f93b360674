import { ownCouponRecord, readOwnCoupons } from "#api/coupons.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { cursorOf, PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { partnerRefusals, partnerSide } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

const pageSize = 50;

const cursors = cursorOf("own-coupons", { code: z.string() });

export const listCoupons = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/coupons",
    operationId: "listOwnCoupons",
    tags: ["Partner"],
    summary: "List your coupons",
    description:
      "A new customer's sale with one of a coupon's codes is credited to you, unless the customer came through another partner's link.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: z.object({ cursor: cursors.parameter(), ...viewField() }) },
    responses: {
      ...returns(
        `Coupons, newest first, ${pageSize} per page`,
        z.object({ data: z.array(ownCouponRecord.schema), meta: PageMeta }),
      ),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { cursor } = c.req.valid("query");
    const { programId, partnerId } = c.get("partner");
    const found = await readOwnCoupons(c, { programId, partnerId, after: cursor?.code }, pageSize);
    if (!found.ok) return refuse(c, found.refusal);
    const { page, next } = found.value;
    const nextCursor = cursors.after(next === undefined ? undefined : { code: next });
    return c.json({ data: page.map(ownCouponRecord.reply), meta: { nextCursor } }, 200);
  },
});
