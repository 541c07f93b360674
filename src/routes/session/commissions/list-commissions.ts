import { createRoute } from "@hono/zod-openapi";
import type { Ctx } from "../../../http/context.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { memberRefusals, sessionRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import { idCursor, newest, PageMeta, pageOf } from "../../../http/schema/cursor.ts";
import * as wire from "../../../http/schema/fields.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { type CommissionFilter, listCommissions as list } from "../../../store/views/commissions.ts";
import { readFromDatabase } from "../../read-database.ts";
import { programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { CommissionReply, commissionReply, commissionStatuses } from "./commission-reply.ts";
import { commissionsCsv } from "./commissions-csv.ts";

const pageSizes = { json: 50, csv: 500 };

const Query = z.object({
  status: fields
    .oneOf("status", commissionStatuses)
    .optional()
    .openapi({ description: "Defaults to every status except `void`." }),
  partnerId: wire.programId("partnerId").optional(),
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
      ...refusals(undefined, [...memberRefusals, "invalid_input", ...sessionRefusals]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const { status, partnerId, cursor = newest, format = "json" } = c.req.valid("query");
    const filter = { status, partnerId };
    const first = await readPage(c, c.get("program").id, filter, cursor, pageSizes[format]);
    if (!first.ok) return refuse(c, first.refusal);
    const { page, meta } = first.value;
    if (format === "json") return c.json({ data: page.map(commissionReply), meta }, 200);

    const csv = commissionsCsv(first.value, async (before) => {
      const read = await readPage(c, c.get("program").id, filter, before, pageSizes.csv);
      // What has been sent can't be taken back: a download that breaks off is not taken for a whole one.
      if (!read.ok) throw new Error("the database went out of reach in the middle of a list");
      return read.value;
    });
    const headers = {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": 'attachment; filename="commissions.csv"',
    };
    return c.body(csv, 200, headers);
  },
});

async function readPage(c: Ctx, programId: number, filter: CommissionFilter, before: number, size: number) {
  const found = await readFromDatabase(c, (database) => list(database, programId, filter, { before, limit: size + 1 }));
  return found.ok ? { ok: true as const, value: pageOf(found.value, size) } : found;
}
