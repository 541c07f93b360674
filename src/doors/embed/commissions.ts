import { saleDaysOf } from "#api/commissions.ts";
import { filterFields, ownCommission, readOwnCommissions } from "#api/own-commissions.ts";
import { day, inOrder } from "#api/period.ts";
import { createRoute, endpoint, invalidField, refusals, refuse, returns } from "#http/endpoint.ts";
import { cursorMessage, PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { type ListOfPartner, openPosition, sealPosition } from "../partner/sealed-position.ts";
import { EmbedHeaders, embedded, embedRefusals } from "./guards.ts";

const pageSize = 50;

const Query = z
  .object({
    ...filterFields(),
    from: day("from")
      .optional()
      .describe("Lists only commissions for sales from this day on, in the program's time zone."),
    to: day("to").optional().describe("Lists only commissions for sales up to this day, inclusive."),
    cursor: z.string(cursorMessage).optional().describe("The `nextCursor` of the previous page."),
  })
  .refine(...inOrder("from", "to"));

export const listCommissions = endpoint({
  route: createRoute({
    method: "get",
    path: "/commissions",
    operationId: "listEmbedCommissions",
    tags: ["Embed"],
    summary: "List your commissions",
    description: "Filters can be combined. Sales that pay no commission are not listed.",
    ...embedded("commissions"),
    request: { headers: EmbedHeaders, query: Query },
    responses: {
      ...returns(
        `Commissions, newest first, ${pageSize} per page`,
        z.object({ data: z.array(ownCommission.schema), meta: PageMeta }),
      ),
      ...refusals([...embedRefusals, "not_found", "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partner } = c.get("embedded");
    if (partner === undefined) return c.json({ data: [], meta: { nextCursor: null } }, 200);
    const { status, sub, from, to, cursor } = c.req.valid("query");
    const of: ListOfPartner = { list: "commissions", partnerId: partner.partnerId };
    const before = cursor === undefined ? undefined : await openPosition(c, of, cursor);
    if (cursor !== undefined && before === undefined) return refuse(c, invalidField("cursor", cursorMessage));
    const filter = { status, sub, days: saleDaysOf({ dateFrom: from, dateTo: to }) };
    const read = await readOwnCommissions(c, partner, filter, { before, size: pageSize });
    if (!read.ok) return refuse(c, read.refusal);
    const { page, next } = read.value;
    const nextCursor = next === undefined ? null : await sealPosition(c, of, next);
    return c.json({ data: page.map(ownCommission.reply), meta: { nextCursor } }, 200);
  },
});
