import { commissionStatuses } from "../../../domain/commission-status.ts";
import { createRoute, endpoint, refusals, refuse, refuseInvalid } from "../../../http/endpoint.ts";
import { idCursor, newest, PageMeta } from "../../../http/schema/cursor.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { textStream } from "../../../http/text-stream.ts";
import { listCommissions as list } from "../../../store/views/commissions.ts";
import { allPages, csvHeaders } from "../all-pages.ts";
import { memberRefusals, programMember } from "../guards.ts";
import * as narrowing from "../narrowing.ts";
import { ProgramPath } from "../params.ts";
import { readPage } from "../read-page.ts";
import { CommissionReply, commissionReply } from "./commission-reply.ts";
import { commissionsCsv } from "./commissions-csv.ts";

const pageSizes = { json: 50, csv: 500 };

const Query = z.object({
  status: fields
    .oneOf("status", commissionStatuses)
    .optional()
    .openapi({ description: "Defaults to every status except `void`." }),
  partnerId: fields.programId("partnerId").optional(),
  saleId: narrowing.saleId(),
  commissionId: narrowing.commissionId(),
  transactionId: narrowing.transactionId(),
  customerKey: narrowing.customerKey(),
  test: fields
    .oneOf("test", ["exclude", "only"])
    .default("exclude")
    .openapi({ description: "`only` lists the commissions of test sales. They never appear with live ones." }),
  cursor: idCursor(),
  format: fields
    .oneOf("format", ["json", "csv"])
    .optional()
    .openapi({ description: "`csv` returns all pages in one file." }),
});

export const listCommissions = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/commissions",
    operationId: "listCommissions",
    tags: ["Management"],
    summary: "List a program's commissions",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      200: {
        description: `Commissions, newest first, ${pageSizes.json} per page`,
        content: {
          "application/json": { schema: z.object({ data: z.array(CommissionReply), meta: PageMeta }) },
          "text/csv": { schema: z.string() },
        },
      },
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const { status, partnerId, cursor = newest, format = "json", test, ...query } = c.req.valid("query");
    const book = { programId: c.get("program").id, isTest: test === "only" };
    const filter = { status, partnerId, narrowing: narrowing.narrowingOf(query) };
    const readFrom = (before: number) =>
      readPage(c, pageSizes[format], (database, limit) => list(database, book, filter, { before, limit }));
    const first = await readFrom(cursor);
    if (!first.ok) return refuse(c, first.refusal);
    const { page, meta } = first.value;
    if (format === "json") return c.json({ data: page.map(commissionReply), meta }, 200);

    const pages = allPages<number, typeof first.value>(first.value, readFrom);
    return c.body(textStream(commissionsCsv(pages)), 200, csvHeaders("commissions"));
  },
});
