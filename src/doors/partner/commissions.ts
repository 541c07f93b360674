import { saleDaysOf } from "#api/commissions.ts";
import { downloadPages } from "#api/download-pages.ts";
import { exportHeaders, format, okOrFile, periodName } from "#api/export-file.ts";
import { filterFields, ownColumns, ownCommission, readOwnCommissions } from "#api/own-commissions.ts";
import { day, inOrder } from "#api/period.ts";
import { createRoute, endpoint, invalidField, refusals, refuse } from "#http/endpoint.ts";
import { cursorMessage, PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { downloading, partnerRefusals, partnerSide, programFile } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";
import { type ListOfPartner, openPosition, sealPosition } from "./sealed-position.ts";

const pageSizes = { json: 50, csv: 500 };

const Query = z
  .object({
    ...filterFields(),
    from: day("from")
      .optional()
      .describe("Lists only commissions for sales from this day on, in the program's time zone."),
    to: day("to").optional().describe("Lists only commissions for sales up to this day, inclusive."),
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
      ...refusals([...partnerRefusals, "invalid_input", "download_running"]),
    },
  }),
  handler: async (c) => {
    const { status, sub, from, to, cursor, format = "json" } = c.req.valid("query");
    const partner = c.get("partner");
    const { partnerId } = partner;
    const of: ListOfPartner = { list: "commissions", partnerId };
    const filter = { status, sub, days: saleDaysOf({ dateFrom: from, dateTo: to }) };
    const readFrom = (before: number | undefined) =>
      readOwnCommissions(c, partner, filter, { before, size: pageSizes[format] });
    if (format === "csv") {
      const file = await downloadPages(c, downloading(c), ownColumns, readFrom);
      if (!file.ok) return refuse(c, file.refusal);
      const headers = exportHeaders(programFile(partner), "commissions", periodName(from, to));
      return c.body(textStream(file.value.parts), 200, headers);
    }
    const after = cursor === undefined ? undefined : await openPosition(c, of, cursor);
    if (cursor !== undefined && after === undefined) return refuse(c, invalidField("cursor", cursorMessage));
    const read = await readFrom(after);
    if (!read.ok) return refuse(c, read.refusal);
    const { page, next } = read.value;
    const nextCursor = next === undefined ? null : await sealPosition(c, of, next);
    return c.json({ data: page.map(ownCommission.reply), meta: { nextCursor } }, 200);
  },
});
