import { createRoute, endpoint, invalidField, refusals, refuse } from "#http/endpoint.ts";
import { cursorMessage, PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { allPages } from "../../session/all-pages.ts";
import { saleDaysOf } from "../../session/commissions/commission-query.ts";
import { exportFile, exportHeaders, format, okOrFile, periodName } from "../../session/export-file.ts";
import { day, inOrder } from "../../session/reports/query.ts";
import { partnerRefusals, partnerSide, programFile } from "../guards.ts";
import { PartnerSidePath, viewField } from "../params.ts";
import { type ListOfPartner, openPosition, sealPosition } from "../sealed-position.ts";
import { ownColumns, ownCommission } from "./own-commission.ts";
import { filterFields } from "./own-filter.ts";
import { readOwnCommissions } from "./read-own-commissions.ts";

const pageSizes = { json: 50, csv: 500 };

const Query = z
  .object({
    ...filterFields(),
    from: day("from").optional().describe("First day of the sales, in the program's time zone."),
    to: day("to").optional().describe("Last day of the sales, inclusive."),
    cursor: z.string(cursorMessage).optional().describe("The `nextCursor` of the previous page."),
    format: format(),
    ...viewField(),
  })
  .refine(...inOrder("from", "to"));

export const listCommissions = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/commissions",
    operationId: "listOwnCommissions",
    tags: ["Partner"],
    summary: "List your commissions",
    description: "Filters can be combined. Sales that pay no commission are not listed.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: Query },
    responses: {
      ...okOrFile(
        `Commissions, newest first, ${pageSizes.json} per page`,
        z.object({ data: z.array(ownCommission.schema), meta: PageMeta }),
        ownColumns,
      ),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { status, sub, from, to, cursor, format = "json" } = c.req.valid("query");
    const partner = c.get("partner");
    const { partnerId } = partner;
    const of: ListOfPartner = { list: "commissions", partnerId };
    const isFile = format === "csv";
    const after = cursor === undefined || isFile ? undefined : await openPosition(c, of, cursor);
    if (cursor !== undefined && !isFile && after === undefined) return refuse(c, invalidField("cursor", cursorMessage));
    const filter = { status, sub, days: saleDaysOf({ dateFrom: from, dateTo: to }) };
    const readFrom = (before: number | undefined) =>
      readOwnCommissions(c, partner, filter, { before, size: pageSizes[format] });
    const first = await readFrom(after);
    if (!first.ok) return refuse(c, first.refusal);
    const { page, next } = first.value;
    if (!isFile) {
      const nextCursor = next === undefined ? null : await sealPosition(c, of, next);
      return c.json({ data: page.map(ownCommission.reply), meta: { nextCursor } }, 200);
    }
    const csv = exportFile(ownColumns, allPages(first.value, readFrom));
    return c.body(textStream(csv), 200, exportHeaders(programFile(partner), "commissions", periodName(from, to)));
  },
});
