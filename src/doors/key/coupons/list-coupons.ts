import { couponKey } from "#domain/coupons.ts";
import { commonRefusals, createRoute, endpoint, keyRefusals, ok, refusals, refuse } from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import { idCursor, newest } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { listCoupons as list } from "#store/views/coupons.ts";
import { couponRecord } from "../../member/coupons/coupon-record.ts";
import { readPage } from "../../member/read-page.ts";
import { checkedKey } from "../checked-key.ts";
import { programKeyRequired } from "../guards.ts";
import { listOf, listReply, pageSize } from "../lists/list.ts";

const cursors = idCursor("coupons");

const Query = z.object({
  partner_id: fields.programId("partner_id").optional().describe("Only the partner's."),
  code: fields.callerId("code").optional().describe("Only the one with this code."),
  cursor: cursors.parameter("next_cursor"),
});

export const listCoupons = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/coupons",
    operationId: "listCoupons",
    tags: ["Program"],
    summary: "List coupons",
    description: "Includes paused ones.",
    ...programKeyRequired("keyedList", "manage"),
    request: { query: Query },
    responses: {
      ...ok(`Coupons, newest first, ${pageSize} per page`, listOf("Coupon", couponRecord.schema)),
      ...refusals(["missing_key", ...keyRefusals, "invalid_input", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const checked = await checkedKey(c, c.get("key"));
    if (!checked.ok) return refuse(c, checked.refusal);
    const { programId } = checked.value;
    const { partner_id: partnerId, code, cursor: { id: before } = newest } = c.req.valid("query");
    const filter = { partnerId, codeKey: code === undefined ? undefined : couponKey(code) };
    const read = await readPage(c, "program", { ...cursors, size: pageSize }, (database, limit) =>
      list(database, programId, filter, { before, limit }),
    );
    if (!read.ok) return refuse(c, read.refusal);
    const { page, meta } = read.value;
    return reply(c, listReply(page.map(couponRecord.reply), meta));
  },
});
