import { couponKey } from "#domain/coupons.ts";
import { createRoute, endpoint, ok, refusals, refuse } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { listCoupons as list } from "#store/views/coupons.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { readPage } from "../read-page.ts";
import { couponRecord } from "./coupon-record.ts";

const pageSize = 50;

const cursors = idCursor("coupons");

const Query = z.object({
  partnerId: fields.programId("partnerId").optional().describe("Only the partner's."),
  code: fields.callerId("code").optional().describe("Only the one with this code."),
  cursor: cursors.parameter(),
});

export const listCoupons = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/coupons",
    operationId: "listCoupons",
    tags: ["Management"],
    summary: "List coupons",
    description: "Includes paused ones.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...ok(
        `Coupons, newest first, ${pageSize} per page`,
        z.object({ data: z.array(couponRecord.schema), meta: PageMeta }),
      ),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partnerId, code, cursor: { id: before } = newest } = c.req.valid("query");
    const { id } = c.get("program");
    const filter = { partnerId, codeKey: code === undefined ? undefined : couponKey(code) };
    const found = await readPage(c, "program", { ...cursors, size: pageSize }, (database, limit) =>
      list(database, id, filter, { before, limit }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map(couponRecord.reply), meta }, 200);
  },
});
