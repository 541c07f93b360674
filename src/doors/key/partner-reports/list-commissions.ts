import { createRoute, endpoint, invalidField, returns, refusals, refuse } from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import { cursorMessage } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { saleDaysOf } from "../../member/commissions/commission-query.ts";
import { day, inOrder } from "../../member/reports/query.ts";
import { ownCommission } from "../../partner/commissions/own-commission.ts";
import { filterFields } from "../../partner/commissions/own-filter.ts";
import { readOwnCommissions } from "../../partner/commissions/read-own-commissions.ts";
import { type ListOfPartner, openPosition, sealPosition } from "../../partner/sealed-position.ts";
import { programKeyRequired } from "../guards.ts";
import { listOf, listReply, pageSize } from "../list.ts";
import { keyedPartner, ReportPath, reportRefusals } from "./keyed-partner.ts";

const Query = z
  .object({
    ...filterFields(),
    date_from: day("date_from").optional().describe("First day of the sales, in the program's time zone."),
    date_to: day("date_to").optional().describe("Last day of the sales, inclusive."),
    cursor: z.string(cursorMessage).optional().describe("The `next_cursor` of the previous page."),
  })
  .refine(...inOrder("date_from", "date_to"));

export const listPartnerCommissions = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/partners/{partnerId}/commissions",
    operationId: "listPartnerCommissions",
    tags: ["Program"],
    summary: "List a partner's commissions",
    description:
      "As the partner sees them, for a page of your own: nothing that names a customer. Filters can be combined. Sales that " +
      "pay no commission are not listed.",
    ...programKeyRequired("keyedList", "read"),
    request: { params: ReportPath, query: Query },
    responses: {
      ...returns(`Commissions, newest first, ${pageSize} per page`, listOf("PartnerCommission", ownCommission.schema)),
      ...refusals(reportRefusals),
    },
  }),
  handler: async (c) => {
    const partner = await keyedPartner(c, c.get("key"), c.req.valid("param").partnerId);
    if (!partner.ok) return refuse(c, partner.refusal);
    const { status, sub, cursor, date_from: dateFrom, date_to: dateTo } = c.req.valid("query");
    const of: ListOfPartner = { list: "commissions", partnerId: partner.value.partnerId };
    const before = cursor === undefined ? undefined : await openPosition(c, of, cursor);
    if (cursor !== undefined && before === undefined) return refuse(c, invalidField("cursor", cursorMessage));
    const asked = { status, sub, days: saleDaysOf({ dateFrom, dateTo }) };
    const read = await readOwnCommissions(c, partner.value, asked, { before, size: pageSize });
    if (!read.ok) return refuse(c, read.refusal);
    const { page, next } = read.value;
    const nextCursor = next === undefined ? null : await sealPosition(c, of, next);
    return reply(c, listReply(page.map(ownCommission.reply), { nextCursor }));
  },
});
