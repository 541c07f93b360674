import { exportHeaders, okOrFile } from "#api/export-file.ts";
import { inOrder } from "#api/period.ts";
import { exampleColumns, Statement, statementCsv, statementJson } from "#api/statement-record.ts";
import { downloadStatement, readStatement, statementFields, statementName } from "#api/statements.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { downloading, partnerRefusals, partnerSide, programFile } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

const Query = z
  .object({ ...statementFields(), format: fields.oneOf("format", ["json", "csv"]).default("json"), ...viewField() })
  .refine(...inOrder("from", "to"));

export const getStatement = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/statement",
    operationId: "getOwnStatement",
    tags: ["Partner"],
    summary: "Get your statement",
    description:
      "The same document that the program gets. Without `number`, it has all entries posted in the period, " +
      "regardless of the day of their events, so amounts of past days never change. With `number`, it has all " +
      "entries up to one payment. `openingCents` plus all entries is `closingCents`. Each day is in the time zone that the program had at that time. Not paged.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: Query },
    responses: {
      ...okOrFile("The statement", Statement, exampleColumns),
      ...refusals([...partnerRefusals, "invalid_input", "download_running"]),
    },
  }),
  handler: async (c) => {
    const { accountId, role, partner } = c.var;
    const { format, as: _, ...query } = c.req.valid("query");
    const sees = (setBy: string) => role !== "owner" && setBy === accountId;
    const read = await readStatement(c, { ...partner, sees }, query);
    if (!read.ok) return refuse(c, read.refusal);
    const { head, pages, units } = read.value;
    const isJson = format === "json";
    const parts = isJson ? statementJson(head, pages) : statementCsv(head, pages, units);
    const file = await downloadStatement(c, downloading(c), read.value, parts);
    if (!file.ok) return refuse(c, file.refusal);
    const body = textStream(file.value.parts);
    if (isJson) return c.body(body, 200, { "Content-Type": "application/json" });
    return c.body(body, 200, exportHeaders(programFile(partner), "statement", ...statementName(head.data)));
  },
});
